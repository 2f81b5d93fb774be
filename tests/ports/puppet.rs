//! `Puppet`: a client that sends the packets of a test.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar::transport::Peer;
use syncvar::{Channel, Endpoint, PacketLimits, Transmit};
use syncvar_testing::sockets::{prefabs, soon};
use tokio::time::sleep;

use crate::way::{Running, Way};

/// Connection without a `NetworkClient`.
pub(crate) struct Puppet {
    peer: Peer,
    end: Strings,
    started: Instant,
}

/// End that sends and keeps packets.
#[derive(Debug, Default)]
struct Strings {
    out: VecDeque<Bytes>,
    polled: [Bytes; 1],
    received: Vec<Bytes>,
}

impl Puppet {
    /// Connects, without a packet.
    pub(crate) async fn connect(server: &Running) -> Self {
        Self::connect_by(server.transport, server.addr).await
    }

    /// Connects to an address.
    pub(crate) async fn connect_by(way: Way, addr: SocketAddr) -> Self {
        let mut puppet = Self::begin_by(way, addr);
        soon(async {
            while !puppet.peer.is_connected() {
                assert!(!puppet.peer.is_over(), "it is refused");
                puppet.turn().await;
            }
        })
        .await;
        puppet
    }

    /// Begins to connect.
    pub(crate) fn begin(server: &Running) -> Self {
        Self::begin_by(server.transport, server.addr)
    }

    fn begin_by(way: Way, addr: SocketAddr) -> Self {
        let peer = way.peer(
            addr,
            &NetworkClient::new(prefabs()),
            TransportOptions::default(),
        );
        Self {
            peer: peer.unwrap(),
            end: Strings::default(),
            started: Instant::now(),
        }
    }

    /// Connects and joins, and sends nothing more.
    pub(crate) async fn join(server: &Running) -> Self {
        let mut puppet = Self::connect(server).await;
        let mut real = server.client();
        NetworkClient::handle_connect(&mut real);
        let connect = real.poll_transmit().unwrap().bytes;
        puppet.send(connect);
        puppet.send(READY);
        soon(async {
            // The objects.
            while puppet.end.received.len() < 2 {
                puppet.turn().await;
            }
        })
        .await;
        puppet
    }

    /// Queues a packet on the reliable channel.
    pub(crate) fn send(&mut self, packet: impl Into<Bytes>) {
        self.end.out.push_back(packet.into());
    }

    /// Runs a frame.
    pub(crate) async fn turn(&mut self) {
        let now = self.started.elapsed();
        // A connection that is over has no further packets.
        let _ = self.peer.receive(&mut self.end, now);
        self.peer.transmit(&mut self.end, now);
        sleep(Duration::from_millis(1)).await;
    }

    /// Runs frames until the server has ended the connection. Returns the texts of its packets.
    pub(crate) async fn read_to_end(&mut self) -> String {
        soon(async {
            while !self.peer.is_over() {
                self.turn().await;
            }
        })
        .await;
        let all = self
            .end
            .received
            .iter()
            .map(|it| String::from_utf8_lossy(it));
        all.collect()
    }

    /// Sends a packet again and again.
    pub(crate) async fn flood(mut self, packet: Bytes) {
        while !self.peer.is_over() {
            while self.end.out.len() < 1000 {
                self.send(packet.clone());
            }
            self.end.received.clear();
            self.turn().await;
        }
    }
}

/// `Ready`, behind the header of a packet.
pub(crate) const READY: &[u8] = &[2, 0, 0, 35, 0];

impl Endpoint for Strings {
    type Error = Infallible;
    type Event = ();

    fn handle_connect(&mut self, _: PacketLimits) -> ConnectionId {
        ConnectionId::SERVER
    }

    fn handle_packet(&mut self, _: ConnectionId, _: u8, packet: &[u8]) -> Result<(), Infallible> {
        self.received.push(Bytes::copy_from_slice(packet));
        Ok(())
    }

    fn handle_disconnect(&mut self, _: ConnectionId) {}

    fn disconnect(&mut self, _: ConnectionId, _: &str) {}

    fn is_connected(&self, _: ConnectionId) -> bool {
        true
    }

    fn expects_packets(&self, _: ConnectionId) -> bool {
        false
    }

    fn update(&mut self, _: Duration) {}

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.polled = [self.out.pop_front()?];
        let (server, reliable) = (ConnectionId::SERVER, Channel::Reliable);
        Some(Transmit::new(server, 0, reliable, &self.polled))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        None
    }

    fn poll_event(&mut self) -> Option<()> {
        None
    }

    fn event_count(&self) -> u64 {
        0
    }

    fn forget_events(&mut self, _: u64) {}
}
