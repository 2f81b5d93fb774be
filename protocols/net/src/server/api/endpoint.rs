//! `Endpoint` for `NetworkServer`.

use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use crate::message::datagram_size;
use crate::server::{NetworkServer, PacketError, ServerEvent};

/// A connection of the transport is a [link](NetworkServer::link) here. The sizes of packets are settings of the server: [`ServerConfig`](crate::ServerConfig). Of the
/// limits of a connection, [`PacketLimits::datagrams`] counts, and [`PacketLimits::max_unreliable`] with it: a
/// connection with datagrams below 1 124 bytes has none.
impl Endpoint for NetworkServer {
    type Error = PacketError;
    type Event = ServerEvent;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        let connection = self.handle_connect();
        if let Some(connected) = self.sessions.connections.get_mut(connection.0) {
            connected.headers.datagrams = datagram_size(&limits);
        }
        connection
    }

    fn accepts_packets(&self, connection: ConnectionId) -> bool {
        let (limits, now) = (&self.context.config.limits, self.context.clock.now());
        let connection = self.sessions.returns.of_link(connection);
        self.sessions.accepts(connection, limits, now)
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        self.handle_packet(connection, channel, packet)
    }

    fn handle_datagram(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        self.handle_datagram(connection, channel, packet)
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.handle_disconnect(connection);
    }

    /// A client with a session is [away](NetworkServer::is_away) then, without a goodbye: a stopped process or a
    /// sleeping tab returns.
    fn handle_silence(&mut self, link: ConnectionId, text: &str) {
        let connection = self.sessions.of_link(link);
        if connection.is_some_and(|connection| {
            let tick = self.outbound.store.tick;
            self.sessions.suspend(&mut self.context, tick, connection)
        }) {
            self.sessions.closing.push_back(link);
        } else {
            Endpoint::disconnect(self, link, text);
        }
    }

    fn disconnect(&mut self, link: ConnectionId, text: &str) {
        if let Some(connection) = self.sessions.of_link(link) {
            self.disconnect(connection, text);
        }
    }

    fn is_connected(&self, link: ConnectionId) -> bool {
        let connection = self.sessions.of_link(link);
        connection.is_some_and(|connection| self.sessions.knows(connection))
    }

    fn is_away(&self, connection: ConnectionId) -> bool {
        self.is_away(connection)
    }

    /// A ready client pings if the schemas are compared.
    fn expects_packets(&self, connection: ConnectionId) -> bool {
        let connection = self.sessions.returns.of_link(connection);
        self.context.config.compare_schemas && self.sessions.is_ready(connection)
    }

    fn update(&mut self, now: Duration) {
        self.advance(now);
    }

    fn expect_update(&mut self, now: Duration) {
        self.context.clock.expect_update(now);
    }

    fn hold_clock(&mut self, held: bool) {
        self.context.clock.hold(held);
    }

    fn hold_state(&mut self, link: ConnectionId, held: bool) {
        let id = self.sessions.returns.of_link(link);
        let tick = self.outbound.store.tick;
        if !held {
            self.rooms().attach_stream(id);
        } else if let Some(connection) = self.sessions.connections.get_mut(id.0) {
            connection.detach(tick);
        }
    }

    fn tick_rate(&self) -> u32 {
        self.context.config.tick_rate
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.poll_transmit()
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.poll_close()
    }

    fn poll_event(&mut self) -> Option<ServerEvent> {
        self.poll_event()
    }

    fn event_count(&self) -> u64 {
        self.event_count()
    }

    fn returned(&self) -> impl Iterator<Item = (ConnectionId, ConnectionId)> {
        self.sessions.returns.iter()
    }

    fn forget_events(&mut self, count: u64) {
        self.forget_events(count);
    }
}
