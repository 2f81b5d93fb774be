//! `Endpoint` for `MirrorServer` and `MirrorClient`.

use std::time::Duration;

use syncvar_runtime::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};

use crate::{
    Limits, MirrorClient, MirrorClientEvent, MirrorError, MirrorServer, MirrorServerEvent,
};

impl From<PacketLimits> for Limits {
    fn from(limits: PacketLimits) -> Self {
        Self {
            batch_threshold: limits.batch_threshold,
            max_reliable: limits.max_reliable,
            max_unreliable: limits.max_unreliable,
        }
    }
}

/// The number of a channel is the one in Mirror's `Channels`. Mirror's protocol has no text for a
/// disconnect.
impl Endpoint for MirrorServer {
    type Error = MirrorError;
    type Event = MirrorServerEvent;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.handle_connect(limits.into())
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

    fn disconnect(&mut self, connection: ConnectionId, _: &str) {
        self.disconnect(connection);
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.is_connected(connection)
    }

    fn update(&mut self, now: Duration) {
        self.update(now);
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
        self.update(now);
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let packet = self.poll_transmit()?;
        self.polled = packet.bytes;
        let (channel, chunks) = (packet.channel, std::slice::from_ref(&self.polled));
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
        self.events.total()
    }

    fn forget_events(&mut self, count: u64) {
        while self.events.gone() < count && self.poll_event().is_some() {}
    }
}

/// Returns the channel with a number. Mirror handles every message on either channel.
fn channel_of(number: u8) -> Channel {
    Channel::from_number(number).unwrap_or(Channel::Unreliable)
}
