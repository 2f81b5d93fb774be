//! Misbehaving clients.

use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};

use super::support::*;
use crate::TransportOptions;
use crate::datagram::{DatagramListener, Mirror};
use crate::kcp::KcpConnection;
use crate::listener::Listener;

#[tokio::test]
async fn a_frame_of_wrong_size_closes_its_connection() {
    let server = Running::of(Kind::Telepathy);
    let mut other = server.join(Kind::Telepathy).await;
    for garbage in [&[0; 4][..], &[0, 0, 64, 1], b"GET / HTTP/1.1\r\n\r\n"] {
        let mut client = TcpStream::connect(server.addrs[0]).await.unwrap();
        client.write_all(b"\x00\x00\x00\x02ok").await.unwrap();
        client.write_all(garbage).await.unwrap();
        let mut heard = Vec::new();
        soon(client.read_to_end(&mut heard)).await.unwrap();
        assert!(heard.is_empty() || heard == b"\x00\x00\x00\x02ok");
    }
    exchange(&mut other, "still here").await;
    server.wait_for_connections(1).await;
}

#[tokio::test]
async fn a_frame_may_come_byte_by_byte() {
    let server = Running::of(Kind::Telepathy);
    let mut client = TcpStream::connect(server.addrs[0]).await.unwrap();
    client.set_nodelay(true).unwrap();
    for byte in b"\x00\x00\x00\x03abc" {
        client.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    let mut heard = [0; 7];
    soon(client.read_exact(&mut heard)).await.unwrap();
    assert_eq!(heard, *b"\x00\x00\x00\x03abc");
}

#[tokio::test]
async fn a_frame_that_never_ends_is_silence() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(200),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Telepathy], options);
    let mut client = TcpStream::connect(server.addrs[0]).await.unwrap();
    client.write_all(b"\x00\x00\x00\x01x").await.unwrap();
    client.write_all(&[0, 0, 60, 0]).await.unwrap();
    let trickle = async {
        while client.write_all(b"y").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon(trickle).await;
    let stats = server.counters.stats();
    assert_eq!((stats.idle_timeouts, stats.handshake_timeouts), (1, 0));
}

#[tokio::test]
async fn one_packet_in_half_the_idle_time_is_enough() {
    let options = TransportOptions {
        idle_timeout: Duration::from_secs(2),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Telepathy], options);
    let mut client = server.join(Kind::Telepathy).await;
    for _ in 0..3 {
        exchange(&mut client, "ping").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    exchange(&mut client, "ping").await;
    assert_eq!(server.counters.stats().idle_timeouts, 0);
}

#[tokio::test]
async fn a_connection_without_a_packet_is_closed() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Telepathy], options);
    let mut mute = TcpStream::connect(server.addrs[0]).await.unwrap();
    assert_eq!(soon(mute.read(&mut [0])).await.unwrap(), 0);
    assert_eq!(server.counters.stats().handshake_timeouts, 1);
}

#[tokio::test]
async fn datagrams_that_are_no_hello_make_no_connection() {
    let server = Running::of(Kind::Kcp);
    let stranger = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    stranger.connect(server.addrs[0]).await.unwrap();
    let mut hello = KcpConnection::connect(Duration::ZERO);
    hello.update(Duration::ZERO);
    let hello = hello.poll_transmit().unwrap();
    for garbage in [
        &b""[..],
        b"x",
        &[0; 5],
        &[1; 30],
        &[2, 0, 0, 0, 0, 4, 1],
        &[2, 9, 9, 9, 9, 5],
        &[255; 1200],
        &[1; 2000],
        // Its sender address can be false: it gets an answer without a connection.
        &hello,
        &hello,
    ] {
        stranger.send(garbage).await.unwrap();
    }
    let mut client = server.join(Kind::Kcp).await;
    exchange(&mut client, "hello").await;
    assert_eq!(server.ask(|server| server.last).await, 1);
}

#[tokio::test]
async fn a_stuck_client_is_disconnected_alone() {
    for kind in BOTH {
        let options = TransportOptions {
            max_queued_bytes: 1024 * 1024,
            max_queued_packets: 10_000,
            ..TransportOptions::mirror()
        };
        let server = Running::start(&[kind], options);
        let _idle = idle(kind, &server).await;
        server.wait_for_connections(1).await;
        let mut other = server.join(kind).await;
        exchange(&mut other, "first").await;
        let flood = |server: &mut Echo| {
            let idle = server.connections[0];
            if server.connections.len() == 2 {
                for _ in 0..64 {
                    let message = Bytes::from(vec![1; 16_000]);
                    server.send(idle, Channel::Reliable, message);
                }
            }
            server.connections.len()
        };
        soon(async { while server.ask(flood).await == 2 {} }).await;
        exchange(&mut other, "second").await;
    }
}

#[tokio::test]
async fn server_stops_although_a_client_reads_nothing() {
    for kind in BOTH {
        let options = TransportOptions {
            close_timeout: Duration::from_millis(50),
            ..TransportOptions::mirror()
        };
        let server = Running::start(&[kind], options);
        let _idle = idle(kind, &server).await;
        server.wait_for_connections(1).await;
        server
            .ask(|server| {
                for _ in 0..600 {
                    let message = Bytes::from(vec![1; 16_000]);
                    server.send(server.connections[0], Channel::Reliable, message);
                }
            })
            .await;
        server.stopped().await;
    }
}

#[tokio::test]
async fn the_limit_of_connections_holds_and_a_place_becomes_free() {
    for kind in BOTH {
        let options = TransportOptions {
            max_connections: 2,
            ..TransportOptions::mirror()
        };
        let server = Running::start(&[kind], options);
        let mut first = server.join(kind).await;
        let mut second = server.join(kind).await;
        exchange(&mut first, "1").await;
        exchange(&mut second, "2").await;
        let mut third = server.join(kind).await;
        say(&mut third, Channel::Reliable, "3");
        assert_eq!(next(&mut third).await, Seen::Disconnected);
        assert_eq!(server.ask(|server| server.last).await, 2);
        soon(first.disconnect()).await;
        server.wait_for_connections(1).await;
        soon(async {
            loop {
                let mut fourth = join(kind, server.addrs[0]).await.unwrap();
                say(&mut fourth, Channel::Reliable, "4");
                if let Some(Seen::Message(..)) = fourth.next_event().await {
                    break;
                }
            }
        })
        .await;
        exchange(&mut second, "2").await;
    }
}

#[tokio::test]
async fn a_stuck_client_is_disconnected_after_the_send_timeout() {
    let options = TransportOptions {
        max_queued_bytes: usize::MAX,
        stall_timeout: Duration::from_millis(100),
        ..TransportOptions::mirror()
    };
    let server = Running::start(&[Kind::Telepathy], options);
    let _idle = idle(Kind::Telepathy, &server).await;
    server.wait_for_connections(1).await;
    server
        .ask(|server| {
            // More than the system's buffers take.
            for _ in 0..2000 {
                server.send(server.connections[0], Channel::Reliable, vec![1; 16_000]);
            }
        })
        .await;
    server.wait_for_connections(0).await;
}

#[tokio::test]
async fn a_flood_does_not_keep_the_server_from_answering() {
    let mut listener = DatagramListener::<Mirror>::bind(&[([127, 0, 0, 1], 0).into()]).unwrap();
    let addr = Listener::<Echo>::local_addr(&listener).unwrap();
    let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_nonblocking(true).unwrap();
    let mut hello = KcpConnection::connect(Duration::ZERO);
    hello.update(Duration::ZERO);
    client
        .send_to(&hello.poll_transmit().unwrap(), addr)
        .unwrap();
    // More than a task reads in one poll.
    for _ in 0..300 {
        client.send_to(b"flood", addr).unwrap();
    }
    let mut turns = 0;
    let answered = std::future::poll_fn(|cx| {
        turns += 1;
        let _ = Listener::<Echo>::poll(&mut listener, cx);
        match client.recv(&mut [0; 1500]) {
            Ok(_) => Poll::Ready(turns),
            Err(_) => Poll::Pending,
        }
    });
    // The first poll finds no datagram; the flood takes three more.
    let turns = soon(answered).await;
    assert!(turns <= 3, "{turns}");
}
