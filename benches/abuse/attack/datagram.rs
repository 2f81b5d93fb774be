//! Attackers by KCP: datagrams without a client's limits.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use syncvar::Channel;
use syncvar::mirror::kcp::KcpConnection;
use syncvar::mirror::{Limits, MirrorClient};
use tokio::net::UdpSocket;
use tokio::time::{Instant, sleep, timeout};

use super::stream::garbage;
use super::{CONNECTED, sent};
use crate::world::{ECHOES, Echo, echo, mirror_prefabs};

/// Longest datagram of KCP.
const DATAGRAM: usize = 1200;

/// Time between two datagrams that keep a connection alive.
const ALIVE: Duration = Duration::from_secs(4);

/// Segments of a window.
const WINDOW: u32 = 4096;

/// Behaviour of an attacker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Joins, and sends commands as fast as acknowledgements arrive.
    Flood,
    /// Withholds the first segment of a full window.
    Early,
    /// Connects, and is silent. All have one address.
    Places,
    /// Connects, and is silent. Each has an address.
    Silent,
    /// Sends the first datagram of a client at full speed.
    Hello,
    /// Sends random bytes at full speed.
    Garbage,
}

/// Attacks from one socket until an error.
pub(super) async fn attack(kind: Kind, from: SocketAddr, server: SocketAddr) -> io::Result<()> {
    let socket = UdpSocket::bind(from).await?;
    socket.connect(server).await?;
    let mut end = End::new(socket);
    match kind {
        Kind::Hello => {
            end.kcp.update(Duration::ZERO);
            let hello = end.kcp.poll_transmit().unwrap_or_default();
            end.repeat(&hello).await
        }
        Kind::Garbage => {
            end.repeat(
                garbage(from.port().into())
                    .get(..DATAGRAM)
                    .unwrap_or_default(),
            )
            .await
        }
        Kind::Flood => end.flood().await,
        Kind::Early => end.early().await,
        Kind::Places | Kind::Silent => {
            end.connect().await?;
            end.silent().await
        }
    }
}

/// One end of a connection, with its socket.
struct End {
    socket: UdpSocket,
    kcp: KcpConnection,
    started: Instant,
}

impl End {
    fn new(socket: UdpSocket) -> Self {
        let kcp = KcpConnection::connect(Duration::ZERO);
        let started = Instant::now();
        Self {
            socket,
            kcp,
            started,
        }
    }

    /// Sends a datagram again and again.
    async fn repeat(&self, datagram: &[u8]) -> io::Result<()> {
        CONNECTED.fetch_add(1, Ordering::Relaxed);
        loop {
            self.send(datagram).await?;
        }
    }

    async fn send(&self, datagram: &[u8]) -> io::Result<()> {
        self.socket.send(datagram).await?;
        sent(datagram.len());
        Ok(())
    }

    /// Exchanges datagrams for a step of the protocol.
    async fn step(&mut self) -> io::Result<()> {
        self.kcp.update(self.started.elapsed());
        while let Some(datagram) = self.kcp.poll_transmit() {
            self.send(&datagram).await?;
        }
        let mut buffer = [0; DATAGRAM];
        let received = timeout(Duration::from_millis(10), self.socket.recv(&mut buffer)).await;
        let mut length = received.ok().transpose()?;
        while let Some(received) = length {
            let datagram = buffer.get(..received).unwrap_or_default();
            self.kcp.handle_datagram(self.started.elapsed(), datagram);
            length = self.socket.try_recv(&mut buffer).ok();
        }
        match self.kcp.closed() {
            Some(error) => Err(io::Error::other(error)),
            None => Ok(()),
        }
    }

    async fn connect(&mut self) -> io::Result<()> {
        while !self.kcp.is_connected() {
            self.step().await?;
        }
        // The server knows the connection by the first datagram with its cookie.
        self.step().await?;
        CONNECTED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Sends a datagram now and then, and ends with the server's goodbye.
    async fn silent(&mut self) -> io::Result<()> {
        loop {
            self.step().await?;
            sleep(ALIVE).await;
        }
    }

    /// Joins with a client, and sends its commands at full speed.
    async fn flood(&mut self) -> io::Result<()> {
        self.connect().await?;
        let mut client = MirrorClient::new(mirror_prefabs());
        client.handle_connect(Limits::KCP);
        let target = echo(ECHOES - 1);
        while client.get::<Echo>(target).is_none() {
            self.exchange(&mut client).await?;
        }
        // A refused call leaves an empty flood.
        for _ in 0..1000 {
            let _ = client.calls::<Echo>(target).echo(7);
        }
        client.update(self.started.elapsed());
        let mut packets: Vec<(Channel, Bytes)> = Vec::new();
        while let Some(packet) = client.poll_transmit() {
            packets.push((packet.channel, packet.bytes));
        }
        loop {
            while self.kcp.queued_bytes() < 1_000_000 {
                for (channel, packet) in &packets {
                    let packet = std::slice::from_ref(packet);
                    self.kcp.send(*channel, packet).map_err(io::Error::other)?;
                }
            }
            self.step().await?;
            while self.kcp.poll_message().is_some() {}
        }
    }

    async fn exchange(&mut self, client: &mut MirrorClient) -> io::Result<()> {
        self.step().await?;
        while let Some((channel, message)) = self.kcp.poll_message() {
            let handled = client.handle_packet(channel, &message);
            handled.map_err(io::Error::other)?;
        }
        client.update(self.started.elapsed());
        while let Some(packet) = client.poll_transmit() {
            let message = [packet.bytes];
            let sent = self.kcp.send(packet.channel, &message);
            sent.map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Sends all segments of a window but the first, and keeps the connection.
    async fn early(&mut self) -> io::Result<()> {
        self.connect().await?;
        let cookie = self.kcp.cookie().map_or(0, std::num::NonZeroU32::get);
        for number in 2..WINDOW {
            self.send(&segment(cookie, number)).await?;
            if number % 64 == 0 {
                sleep(Duration::from_millis(5)).await;
            }
        }
        loop {
            self.send(&segment(cookie, 2)).await?;
            sleep(ALIVE).await;
            let mut buffer = [0; DATAGRAM];
            while let Ok(length) = self.socket.try_recv(&mut buffer) {
                let datagram = buffer.get(..length).unwrap_or_default();
                self.kcp.handle_datagram(self.started.elapsed(), datagram);
            }
            if let Some(error) = self.kcp.closed() {
                return Err(io::Error::other(error));
            }
        }
    }
}

/// Returns a full datagram with one data segment.
fn segment(cookie: u32, number: u32) -> Vec<u8> {
    let mut datagram = vec![1];
    datagram.extend(cookie.to_le_bytes());
    // Conversation 0, data, no fragments, the window.
    datagram.extend([0, 0, 0, 0, 81, 0, 0, 16]);
    datagram.extend(0_u32.to_le_bytes());
    datagram.extend(number.to_le_bytes());
    datagram.extend(1_u32.to_le_bytes());
    let length = DATAGRAM - datagram.len() - 4;
    datagram.extend(u32::try_from(length).unwrap_or(0).to_le_bytes());
    datagram.resize(DATAGRAM, 3);
    datagram
}
