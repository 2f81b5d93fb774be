//! Echo server.

use std::collections::VecDeque;
use std::io::Read as _;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};

use super::support::Malformed;

/// Server that echoes packets in two chunks. A packet that begins with `!` is malformed, and ends the
/// connection.
#[derive(Debug, Default)]
pub(super) struct Echo {
    pub(super) last: u32,
    pub(super) connections: Vec<ConnectionId>,
    pub(super) limits: Vec<PacketLimits>,
    pub(super) received: Vec<(ConnectionId, Channel, Bytes)>,
    out: VecDeque<(ConnectionId, Channel, Vec<Bytes>)>,
    polled: Vec<Bytes>,
    /// Calls of the host and the game, in order.
    pub(super) log: Vec<&'static str>,
    closing: VecDeque<ConnectionId>,
    updates: Vec<Duration>,
    /// Ticks per second; 0 for the default.
    pub(super) tick_rate: u32,
    /// Client that has received a packet before the last packet is polled.
    pub(super) first: Option<std::net::TcpStream>,
}

impl Echo {
    pub(super) fn send(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        message: impl Into<Bytes>,
    ) {
        let message = message.into();
        let middle = message.len() / 2;
        let pieces = vec![message.slice(..middle), message.slice(middle..)];
        self.out.push_back((connection, channel, pieces));
    }

    pub(super) fn kick(&mut self, connection: ConnectionId) {
        self.connections.retain(|other| *other != connection);
        self.closing.push_back(connection);
    }
}

impl Endpoint for Echo {
    type Error = Malformed;
    type Event = ();

    fn tick_rate(&self) -> u32 {
        if self.tick_rate == 0 {
            60
        } else {
            self.tick_rate
        }
    }

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.last += 1;
        let connection = ConnectionId(self.last);
        self.connections.push(connection);
        self.limits.push(limits);
        connection
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), Malformed> {
        assert!(self.connections.contains(&connection));
        self.log.push("packet");
        if packet.starts_with(b"!") {
            self.kick(connection);
            return Err(Malformed);
        }
        let channel = Channel::from_number(channel).unwrap();
        let packet = Bytes::copy_from_slice(packet);
        self.received.push((connection, channel, packet.clone()));
        self.send(connection, channel, packet);
        Ok(())
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        assert!(self.connections.contains(&connection));
        self.connections.retain(|other| *other != connection);
    }

    fn disconnect(&mut self, connection: ConnectionId, _: &str) {
        if self.is_connected(connection) {
            self.kick(connection);
        }
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections.contains(&connection)
    }

    fn update(&mut self, now: Duration) {
        assert!(self.updates.last().is_none_or(|last| *last <= now));
        self.updates.push(now);
        self.log.push("update");
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let (connection, channel, chunks) = self.out.pop_front()?;
        if self.out.is_empty()
            && let Some(mut first) = self.first.take()
        {
            // Blocks for as long as nothing arrives.
            first.read_exact(&mut [0; 1]).expect("a byte");
        }
        self.polled = chunks;
        self.log.push("transmit");
        let number = channel.number();
        Some(Transmit::new(connection, number, channel, &self.polled))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.closing.pop_front()
    }

    fn poll_event(&mut self) -> Option<()> {
        None
    }

    fn event_count(&self) -> u64 {
        0
    }

    fn forget_events(&mut self, _: u64) {}
}
