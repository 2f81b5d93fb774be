//! `Endpoint` for `MirrorServer`.

use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use crate::MirrorError;
use crate::endpoint::channel_of;
use crate::server::{MirrorServer, MirrorServerEvent};

/// The number of a channel is the number in Mirror's `Channels`. Mirror's protocol lacks a text for a
/// disconnect.
impl Endpoint for MirrorServer {
    type Error = MirrorError;
    type Event = MirrorServerEvent;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.handle_connect(limits.into())
    }

    fn accepts_packets(&self, connection: ConnectionId) -> bool {
        self.sessions.accepts(connection, &self.context)
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), MirrorError> {
        self.handle_packet(connection, channel_of(channel), packet)
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.handle_disconnect(connection);
    }

    fn handle_leave(&mut self, connection: ConnectionId) {
        self.handle_leave(connection);
    }

    fn disconnect(&mut self, connection: ConnectionId, _: &str) {
        self.disconnect(connection);
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.is_connected(connection)
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

    fn tick_rate(&self) -> u32 {
        self.context.config.tick_rate
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let packet = self.poll_transmit()?;
        let (connection, channel) = (packet.connection, packet.channel);
        let chunks = packet.chunks();
        Some(Transmit::new(connection, channel.number(), channel, chunks))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.poll_close()
    }

    fn poll_event(&mut self) -> Option<MirrorServerEvent> {
        self.poll_event()
    }

    fn event_count(&self) -> u64 {
        self.event_count()
    }

    fn forget_events(&mut self, count: u64) {
        self.forget_events(count);
    }
}
