//! `Endpoint` for `NetworkClient`, with the steps of an update.

use std::time::Duration;

use crate::client::arrivals::DueCalls;
use crate::client::inbound::PacketContext;
use crate::client::outbound::Carrier;
use crate::client::writes::Sending;
use crate::client::{ClientEvent, ClientState, NetworkClient};
use crate::message::Ping;
use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, ReadError, Transmit};

/// The server is [`ConnectionId::SERVER`], whatever number a caller passes. The sizes of packets are
/// settings of the client: [`ClientConfig`](crate::ClientConfig). Of the limits,
/// [`PacketLimits::datagrams`] counts, and [`PacketLimits::max_unreliable`] with it: the length of the longest datagram of the
/// client.
impl Endpoint for NetworkClient {
    type Error = ReadError;
    type Event = ClientEvent;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.session.carrier = Carrier {
            datagrams: limits.datagrams,
            longest: if limits.datagrams {
                limits.max_unreliable
            } else {
                0
            },
        };
        self.handle_connect();
        ConnectionId::SERVER
    }

    fn handle_packet(
        &mut self,
        _: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), ReadError> {
        self.handle_packet(channel, packet)
    }

    fn handle_datagram(
        &mut self,
        _: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), ReadError> {
        self.handle_datagram(channel, packet)
    }

    fn handle_disconnect(&mut self, _: ConnectionId) {
        self.handle_disconnect();
    }

    fn disconnect(&mut self, _: ConnectionId, text: &str) {
        self.disconnect(text);
    }

    fn is_connected(&self, _: ConnectionId) -> bool {
        self.state() != ClientState::Disconnected
    }

    /// The server answers the handshake, and the pings of a client that has become ready.
    fn expects_packets(&self, _: ConnectionId) -> bool {
        let config = &self.context.config;
        let pings = config.compare_schemas && !config.ping_interval.is_zero();
        let pings = pings && self.is_connected() && self.session.is_heard();
        self.state() == ClientState::Connecting || pings && self.context.clock.server.has_begun()
    }

    fn update(&mut self, now: Duration) {
        self.context.clock.advance(now);
        if let Some(step) = self.context.clock.own.take_leap() {
            self.context.events.push(ClientEvent::ClockLeap { step });
        }
        self.context.events.release();
        self.inbound.work.reset();
        // The packet in progress comes first.
        if self.objects.world.checked_out.depth() == 0 {
            let now = self.context.now();
            let deadline = now.saturating_sub(self.context.config.gather_time());
            let arrivals = self.arrivals.as_ref();
            if arrivals.is_some_and(|arrivals| arrivals.is_overdue(deadline))
                && let Err(error) = self.apply_gathered(None)
            {
                tracing::debug!(%error, "a malformed message of a late tick");
            }
            self.run_calls(DueCalls::Overdue(now));
            self.inbound.packet = PacketContext::default();
        }
        if let Some(arrivals) = &mut self.arrivals {
            let max_delay = self.context.config.max_view_delay;
            arrivals.motion.advance(self.context.now(), max_delay);
        }
        self.show_view(self.context.now());
        if self.is_connected() && self.session.is_heard() && self.context.config.compare_schemas {
            let (now, interval) = (self.context.now(), self.context.config.ping_interval);
            let view = self.arrivals.as_ref().and_then(|it| it.view(&self.objects));
            let claims = self.outbound.lossy.is_none() && view.is_some();
            if let Some(time) = self.context.clock.server.ping(now, interval, claims) {
                self.outbound.send(&Ping { time }, &mut self.context.stats);
            }
        }
        // A burst may contain the objects of early messages.
        if !self.session.is_joining() && !self.session.is_away() {
            self.inbound.early.drop_expired(&mut self.context);
        }
        self.writes.send(&mut Sending {
            context: &mut self.context,
            objects: &mut self.objects,
            outbound: &mut self.outbound,
            session: &self.session,
        });
        let (predictions, mut lent) = self.lend_predictions();
        predictions.advance(&mut lent);
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
        self.outbound.polled = packet.bytes;
        let chunks = std::slice::from_ref(&self.outbound.polled);
        Some(Transmit::new(
            ConnectionId::SERVER,
            packet.channel,
            packet.delivery,
            chunks,
        ))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.session.closing.take()
    }

    #[inline]
    fn poll_event(&mut self) -> Option<ClientEvent> {
        self.poll_event()
    }

    fn event_count(&self) -> u64 {
        self.context.events.total()
    }

    fn forget_events(&mut self, count: u64) {
        self.context.events.forget(count);
    }
}
