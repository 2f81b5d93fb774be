//! `Gate`: a server behind simulated links.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use crate::admission::Admission;
use crate::link::Arrival;
use crate::shaping::Shaping;

/// Server whose input takes the simulated links, if there are any.
#[derive(Debug)]
pub(crate) struct Gate<'a, E> {
    server: &'a mut E,
    shaping: &'a mut Shaping,
    admission: &'a Admission,
    /// Most bytes of a connection on its link.
    max_bytes: usize,
}

impl<'a, E: Endpoint> Gate<'a, E> {
    pub(crate) fn new(
        server: &'a mut E,
        shaping: &'a mut Shaping,
        admission: &'a Admission,
        max_bytes: usize,
    ) -> Self {
        Self {
            server,
            shaping,
            admission,
            max_bytes,
        }
    }

    /// Passes the packets that have left their links to the server.
    pub(crate) fn deliver(&mut self) {
        while let Some((connection, arrival)) = self.shaping.next_received() {
            self.pass(connection, &arrival);
        }
    }

    /// Passes the packets that are on the link of a connection to the server.
    fn deliver_last(&mut self, connection: ConnectionId) {
        for arrival in self.shaping.end_receiving(connection) {
            self.pass(connection, &arrival);
        }
    }

    fn pass(&mut self, connection: ConnectionId, arrival: &Arrival) {
        if let Err(error) = arrival.handle(self.server, connection) {
            tracing::info!(%connection, %error, "malformed packet");
            if self.server.is_connected(connection) {
                self.server.disconnect(connection, &error.to_string());
            }
        }
    }
}

impl<E: Endpoint> Endpoint for Gate<'_, E> {
    type Error = E::Error;
    type Event = E::Event;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.server.handle_connect(limits)
    }

    fn accepts_packets(&self, connection: ConnectionId) -> bool {
        let (_, bytes) = self.shaping.queued_bytes(connection);
        bytes <= self.max_bytes && self.server.accepts_packets(connection)
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), E::Error> {
        if self.shaping.has_links() {
            let packet = Bytes::copy_from_slice(packet);
            let arrival = Arrival::by_stream(channel, packet);
            self.shaping.receive(connection, arrival);
            return Ok(());
        }
        self.server.handle_packet(connection, channel, packet)
    }

    fn handle_datagram(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), E::Error> {
        if self.shaping.has_links() {
            let packet = Bytes::copy_from_slice(packet);
            let arrival = Arrival::by_datagram(channel, packet);
            self.shaping.receive(connection, arrival);
            return Ok(());
        }
        self.server.handle_datagram(connection, channel, packet)
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.deliver_last(connection);
        let end = |server: &mut E| server.handle_disconnect(connection);
        self.admission.end_link(self.server, connection, end);
    }

    fn handle_leave(&mut self, connection: ConnectionId) {
        self.deliver_last(connection);
        let end = |server: &mut E| server.handle_leave(connection);
        self.admission.end_link(self.server, connection, end);
    }

    fn handle_silence(&mut self, connection: ConnectionId, text: &str) {
        self.deliver_last(connection);
        let end = |server: &mut E| server.handle_silence(connection, text);
        self.admission.end_link(self.server, connection, end);
    }

    fn disconnect(&mut self, connection: ConnectionId, text: &str) {
        self.server.disconnect(connection, text);
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.server.is_connected(connection)
    }

    fn is_away(&self, connection: ConnectionId) -> bool {
        self.server.is_away(connection)
    }

    fn returned(&self) -> impl Iterator<Item = (ConnectionId, ConnectionId)> {
        self.server.returned()
    }

    fn expects_packets(&self, connection: ConnectionId) -> bool {
        self.server.expects_packets(connection)
    }

    fn update(&mut self, now: Duration) {
        self.server.update(now);
    }

    fn hold_clock(&mut self, held: bool) {
        self.server.hold_clock(held);
    }

    fn hold_state(&mut self, connection: ConnectionId, held: bool) {
        self.server.hold_state(connection, held);
    }

    fn tick_rate(&self) -> u32 {
        self.server.tick_rate()
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.server.poll_transmit()
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.server.poll_close()
    }

    fn poll_event(&mut self) -> Option<E::Event> {
        self.server.poll_event()
    }

    fn event_count(&self) -> u64 {
        self.server.event_count()
    }

    fn forget_events(&mut self, count: u64) {
        self.server.forget_events(count);
    }
}
