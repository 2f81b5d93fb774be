//! Limits of a host for KCP clients, over real sockets.

use std::time::{Duration, Instant};

use bytes::Bytes;
use syncvar_runtime::Channel;
use tokio::net::UdpSocket;

use super::support::*;
use crate::TransportOptions;
use crate::kcp::KcpConnection;

/// Client without a tokio peer.
struct Client {
    socket: UdpSocket,
    connection: KcpConnection,
    started: Instant,
}

impl Client {
    async fn connect(server: &Running) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        socket.connect(server.addrs[0]).await.unwrap();
        let mut client = Self {
            socket,
            connection: KcpConnection::connect(Duration::ZERO),
            started: Instant::now(),
        };
        while !client.connection.is_connected() {
            client.step(|_| true).await;
        }
        client
    }

    /// Sends the due datagrams that pass a filter, and receives for 10 ms.
    async fn step(&mut self, passes: impl Fn(&[u8]) -> bool) {
        self.connection.update(self.started.elapsed());
        while let Some(datagram) = self.connection.poll_transmit() {
            if passes(&datagram) {
                self.socket.send(&datagram).await.unwrap();
            }
        }
        let mut buffer = [0; 1500];
        let received = self.socket.recv(&mut buffer);
        if let Ok(length) = tokio::time::timeout(Duration::from_millis(10), received).await {
            let now = self.started.elapsed();
            let datagram = &buffer[..length.unwrap()];
            self.connection.handle_datagram(now, datagram);
        }
    }

    /// Runs until the server ends the connection.
    async fn end(&mut self, passes: impl Fn(&[u8]) -> bool + Copy) {
        soon(async {
            while self.connection.closed().is_none() {
                self.step(passes).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn pings_alone_are_no_handshake() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Kcp], options);
    let mut mute = Client::connect(&server).await;
    mute.end(|_| true).await;
    let stats = server.counters.stats();
    assert_eq!((stats.accepted, stats.handshake_timeouts), (1, 1));
}

#[tokio::test]
async fn a_message_in_half_the_time_is_a_handshake() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_secs(1),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Kcp], options);
    let mut client = Client::connect(&server).await;
    while client.started.elapsed() < Duration::from_millis(500) {
        client.step(|_| true).await;
    }
    let message = Bytes::from_static(b"here");
    client
        .connection
        .send(Channel::Reliable, &[message])
        .unwrap();
    while client.started.elapsed() < Duration::from_millis(1500) {
        client.step(|_| true).await;
    }
    assert_eq!(client.connection.closed(), None);
    assert_eq!(server.counters.stats().handshake_timeouts, 0);
}

#[tokio::test]
async fn pings_alone_are_silence() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(200),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Kcp], options);
    let mut client = Client::connect(&server).await;
    let message = Bytes::from_static(b"here");
    client
        .connection
        .send(Channel::Reliable, &[message])
        .unwrap();
    client.end(|_| true).await;
    let stats = server.counters.stats();
    assert_eq!((stats.handshake_timeouts, stats.idle_timeouts), (0, 1));
}

/// The client withholds its second message, the number 2.
#[tokio::test]
async fn a_withheld_segment_ends_its_connection_alone() {
    let options = TransportOptions {
        silence_timeout: Duration::from_millis(500),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Kcp], options);
    let mut other = Client::connect(&server).await;
    let mut client = Client::connect(&server).await;
    for _ in 0..100 {
        // One datagram for each segment.
        for connection in [&mut client.connection, &mut other.connection] {
            let message = Bytes::from(vec![1; 1100]);
            connection.send(Channel::Reliable, &[message]).unwrap();
        }
    }
    soon(async {
        while client.connection.closed().is_none() {
            // Both are heard all the time.
            for connection in [&mut client.connection, &mut other.connection] {
                let message = Bytes::from_static(b"here");
                connection.send(Channel::Unreliable, &[message]).unwrap();
            }
            client.step(|datagram| !has_segment(datagram, 2)).await;
            other.step(|_| true).await;
        }
    })
    .await;
    assert_eq!(other.connection.closed(), None);
    server.wait_for_connections(1).await;
    assert_eq!(server.counters.stats().missing_segments, 1);

    /// Returns whether a datagram has the data segment with a number.
    fn has_segment(datagram: &[u8], number: u32) -> bool {
        let mut segments = &datagram[5..];
        while datagram[0] == 1 && segments.len() >= 24 {
            if segments[4] == 81 && segments[12..16] == number.to_le_bytes() {
                return true;
            }
            let length = u32::from_le_bytes(segments[20..24].try_into().unwrap());
            segments = &segments[24 + usize::try_from(length).unwrap()..];
        }
        false
    }
}

/// `kcp --mode places`: one address connects 1 100 times, and is silent.
#[tokio::test]
async fn one_address_does_not_keep_out_another() {
    let options = TransportOptions {
        max_connections: 8,
        max_connections_per_address: 4,
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Kcp], options);
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(Client::connect(&server).await);
    }
    for client in &mut held {
        client.step(|_| true).await;
    }
    server.wait_for_connections(4).await;
    let stats = server.counters.stats();
    assert_eq!((stats.accepted, stats.refused_address), (4, 16));
}
