//! Attackers by UDP: datagrams without a client's limits.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use syncvar::udp::{TransportOptions, UdpConnection};
use syncvar::{Channel, ConnectionId, Transmit, prelude::*};
use tokio::net::UdpSocket;
use tokio::time::{Instant, sleep, timeout};

use super::stream::{garbage, valid_packet};
use super::{CONNECTED, sent};
use crate::world::prefabs;

/// Longest datagram.
const DATAGRAM: usize = 1212;

/// Time between two datagrams that keep a connection alive.
const ALIVE: Duration = Duration::from_secs(4);

/// Bytes that wait for acknowledgements.
const QUEUED: usize = 1_000_000;

/// Behaviour of an attacker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Joins, and sends commands as fast as acknowledgements arrive.
    Flood,
    /// Joins, and sends datagrams of random bytes at full speed.
    Datagrams,
    /// Connects, and is silent. All have one address.
    Places,
    /// Connects, and is silent. Each has an address.
    Silent,
    /// Sends the first datagram of a client at full speed.
    Hello,
    /// Sends segments with guessed cookies at full speed.
    Guesses,
}

/// Attacks from one socket until an error.
pub(super) async fn attack(kind: Kind, from: SocketAddr, server: SocketAddr) -> io::Result<()> {
    let socket = UdpSocket::bind(from).await?;
    socket.connect(server).await?;
    let mut end = End {
        socket,
        udp: UdpConnection::connect(Duration::ZERO, &TransportOptions::default()),
        started: Instant::now(),
    };
    match kind {
        Kind::Hello => {
            end.udp.update(Duration::ZERO);
            let hello = end.udp.poll_transmit().unwrap_or_default();
            end.repeat(&[hello.to_vec()]).await
        }
        Kind::Guesses => {
            // Segments: the random bytes behind the kind are the cookie.
            let random = garbage(from.port().into());
            let guesses = random.chunks(64).map(|rest| [&[0xa2], rest].concat());
            end.repeat(&guesses.collect::<Vec<_>>()).await
        }
        Kind::Flood => end.flood().await,
        Kind::Datagrams => end.datagrams(&garbage(from.port().into())).await,
        Kind::Places | Kind::Silent => {
            end.connect().await?;
            loop {
                end.step().await?;
                sleep(ALIVE).await;
            }
        }
    }
}

/// One end of a connection, with its socket.
struct End {
    socket: UdpSocket,
    udp: UdpConnection,
    started: Instant,
}

impl End {
    /// Sends datagrams again and again.
    async fn repeat(&self, datagrams: &[Vec<u8>]) -> io::Result<()> {
        CONNECTED.fetch_add(1, Ordering::Relaxed);
        loop {
            for datagram in datagrams {
                self.send(datagram).await?;
            }
        }
    }

    async fn send(&self, datagram: &[u8]) -> io::Result<()> {
        self.socket.send(datagram).await?;
        sent(datagram.len());
        Ok(())
    }

    /// Exchanges datagrams for a step of the protocol.
    async fn step(&mut self) -> io::Result<()> {
        self.udp.update(self.started.elapsed());
        while let Some(datagram) = self.udp.poll_transmit() {
            self.send(&datagram).await?;
        }
        let mut buffer = [0; DATAGRAM];
        let received = timeout(Duration::from_millis(10), self.socket.recv(&mut buffer)).await;
        let mut length = received.ok().transpose()?;
        while let Some(received) = length {
            let datagram = buffer.get(..received).unwrap_or_default();
            self.udp.handle_datagram(self.started.elapsed(), datagram);
            length = self.socket.try_recv(&mut buffer).ok();
        }
        match self.udp.closed() {
            Some(error) => Err(io::Error::other(error)),
            None => Ok(()),
        }
    }

    async fn connect(&mut self) -> io::Result<()> {
        while !self.udp.is_connected() {
            self.step().await?;
        }
        CONNECTED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Connects a client, until the server has accepted it and it is ready.
    async fn join(&mut self) -> io::Result<()> {
        self.connect().await?;
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        while !client.is_connected() {
            while let Some(packet) = client.poll_transmit() {
                self.queue(packet.channel, packet.delivery, packet.bytes)?;
            }
            self.step().await?;
            while let Some((_, channel, packet)) = self.udp.poll_packet() {
                let handled = client.handle_packet(channel, &packet);
                handled.map_err(io::Error::other)?;
            }
        }
        while let Some(packet) = client.poll_transmit() {
            self.queue(packet.channel, packet.delivery, packet.bytes)?;
        }
        Ok(())
    }

    fn queue(&mut self, channel: u8, delivery: Channel, packet: Bytes) -> io::Result<()> {
        let chunks = [packet];
        let packet = Transmit::new(ConnectionId::SERVER, channel, delivery, &chunks);
        self.udp.send(&packet).map_err(io::Error::other)
    }

    /// Joins with a client, and sends commands at full speed.
    async fn flood(&mut self) -> io::Result<()> {
        self.join().await?;
        let packet = Bytes::from(valid_packet());
        loop {
            while self.udp.queued_bytes() < QUEUED {
                self.queue(0, Channel::Reliable, packet.clone())?;
            }
            self.step().await?;
            while self.udp.poll_packet().is_some() {}
        }
    }

    /// Joins with a client, and sends datagrams at full speed.
    async fn datagrams(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.join().await?;
        loop {
            for packet in bytes.chunks(1000) {
                self.queue(1, Channel::Unreliable, Bytes::copy_from_slice(packet))?;
            }
            self.step().await?;
            while self.udp.poll_packet().is_some() {}
        }
    }
}
