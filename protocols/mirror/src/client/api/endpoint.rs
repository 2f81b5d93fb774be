//! `Endpoint` for `MirrorClient`.

use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use crate::MirrorError;
use crate::client::{MirrorClient, MirrorClientEvent};
use crate::endpoint::channel_of;

/// The server is [`ConnectionId::SERVER`], whatever number a caller passes.
impl Endpoint for MirrorClient {
    type Error = MirrorError;
    type Event = MirrorClientEvent;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.handle_connect(limits.into());
        ConnectionId::SERVER
    }

    fn handle_packet(
        &mut self,
        _: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), MirrorError> {
        self.handle_packet(channel_of(channel), packet)
    }

    fn handle_disconnect(&mut self, _: ConnectionId) {
        self.handle_disconnect();
    }

    fn disconnect(&mut self, _: ConnectionId, _: &str) {
        self.disconnect();
    }

    fn is_connected(&self, _: ConnectionId) -> bool {
        self.is_connected()
    }

    fn update(&mut self, now: Duration) {
        self.advance(now);
    }

    fn expect_update(&mut self, now: Duration) {
        self.context.clock.own.expect_update(now);
    }

    fn hold_clock(&mut self, held: bool) {
        self.context.clock.own.hold(held);
    }

    fn tick_rate(&self) -> u32 {
        self.context.config.tick_rate
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let packet = self.poll_transmit()?;
        self.session.outbox.polled = packet.bytes;
        let (channel, chunks) = (
            packet.channel,
            std::slice::from_ref(&self.session.outbox.polled),
        );
        Some(Transmit::new(
            ConnectionId::SERVER,
            channel.number(),
            channel,
            chunks,
        ))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.poll_close().then_some(ConnectionId::SERVER)
    }

    fn poll_event(&mut self) -> Option<MirrorClientEvent> {
        self.poll_event()
    }

    fn event_count(&self) -> u64 {
        self.context.events.total()
    }

    fn forget_events(&mut self, count: u64) {
        self.context.events.forget(count);
    }
}
