//! The conductor of arrivals: applies the packets in the order that [`Arrivals`] decides.

use syncvar_runtime::{Channel, DisconnectReason, ReadError};

use crate::client::arrivals::Pass;
use crate::client::arrivals::{
    Arrivals, DueCalls, Gathering, PacketOrigin, ReceivedPacket, TakenPacket,
};
use crate::client::inbound::PacketContext;
use crate::client::{ClientEvent, ClientState, NetworkClient};

impl NetworkClient {
    /// Handles a packet between those that arrive while an object is checked out.
    pub(super) fn handle_all(
        &mut self,
        carrier: Channel,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), ReadError> {
        let mut result = Ok(());
        let mut packet = Some(packet);
        loop {
            if let Some(early) = self.inbound.deferred.pop_front() {
                let (carrier, channel) = (early.carrier, early.channel);
                result = result.and(self.handle_arrival(carrier, channel, &early.bytes));
            } else if let Some(packet) = packet.take() {
                result = result.and(self.handle_arrival(carrier, channel, packet));
            } else {
                return result;
            }
        }
    }

    /// Handles a packet: at once, or with the rest of its tick.
    fn handle_arrival(
        &mut self,
        carrier: Channel,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), ReadError> {
        self.context.stats.received.add(packet.len());
        self.session.last_packet = self.context.now();
        let is_datagram = carrier == Channel::Unreliable;
        // It has overtaken the answer to Connect.
        if is_datagram && self.session.state == ClientState::Connecting {
            return Ok(());
        }
        let Some(arrivals) = &mut self.arrivals else {
            return self.handle_messages(channel, packet);
        };
        if self.session.state == ClientState::Disconnected {
            return Ok(());
        }
        let mut ack = None;
        let taken = if is_datagram {
            let accepts = self.session.carrier.datagrams;
            arrivals.take_datagram(channel, packet, accepts, &mut ack)
        } else {
            arrivals.take_packet(channel, packet, &mut ack)
        };
        if let (Some(ack), Some(lossy)) = (&ack, &mut self.outbound.lossy) {
            lossy.handle_ack(ack, self.context.now());
        }
        match taken {
            Ok(TakenPacket::Nothing) => Ok(()),
            Ok(TakenPacket::New(packet)) => self.gather(&packet),
            Ok(TakenPacket::Again(packet)) => {
                let pass = Pass::State { early: false };
                self.inbound.begin_packet(&packet, pass, &self.session);
                let read = self.handle_messages(packet.channel, packet.messages);
                self.inbound.packet = PacketContext::default();
                read
            }
            Err(error) => {
                if !is_datagram {
                    self.end_session(DisconnectReason::ConnectionLost);
                }
                Err(error)
            }
        }
    }

    /// Applies a packet with the rest of its tick, or keeps the packet until the tick is whole.
    fn gather(&mut self, packet: &ReceivedPacket<'_>) -> Result<(), ReadError> {
        let (now, session) = (self.context.now(), self.session.number);
        let gathers = !self.context.config.gather_time().is_zero();
        let mut earlier = Ok(());
        let newest = self.arrivals.as_ref().map(Arrivals::newest_tick);
        if newest.is_some_and(|newest| packet.tick > newest) {
            // Nobody waits for the packets of earlier ticks any more.
            earlier = self.apply_gathered(None);
            if self.session.number != session {
                return earlier;
            }
        }
        let Some(arrivals) = &mut self.arrivals else {
            return earlier;
        };
        match arrivals.gather(packet, now, gathers) {
            Gathering::Waits => {
                let at_once = arrivals.pass_at_once(packet);
                if let Some(pass) = at_once.filter(|_| self.inbound.has_ungathered) {
                    self.inbound.begin_packet(packet, pass, &self.session);
                    // The whole datagram has the same errors later.
                    if let Err(error) = self.handle_messages(packet.channel, packet.messages) {
                        tracing::debug!(%error, "a malformed message of a datagram that waits");
                    }
                    self.inbound.packet = PacketContext::default();
                }
                earlier
            }
            Gathering::Last => earlier.and(self.apply_gathered(Some(packet))),
            Gathering::Ready => earlier.and(self.apply_gathered(None)),
            Gathering::Late => {
                let applied = self.apply_one(packet, false);
                let applied = applied.and(self.complete(session));
                let arrivals = self.arrivals.as_ref();
                if arrivals.is_some_and(|arrivals| arrivals.is_ready(0)) {
                    return earlier.and(applied).and(self.apply_gathered(None));
                }
                earlier.and(applied)
            }
        }
    }

    /// Applies the packets that wait, then a last packet that does not wait, then the consequences of all.
    pub(crate) fn apply_gathered(
        &mut self,
        last: Option<&ReceivedPacket<'_>>,
    ) -> Result<(), ReadError> {
        let session = self.session.number;
        let Some(arrivals) = &mut self.arrivals else {
            return Ok(());
        };
        if arrivals.gathered.is_empty() {
            let Some(packet) = last else {
                return Ok(());
            };
            let applied = self.apply_one(packet, false);
            return applied.and(self.complete(session));
        }
        let mut gathered = std::mem::take(&mut arrivals.gathered);
        let gathers_hooks = gathered.has_datagrams();
        let mut result = Ok(());
        for packet in gathered.packets().chain(last.copied()) {
            if self.session.number == session {
                result = result.and(self.apply_one(&packet, gathers_hooks));
            }
        }
        gathered.clear();
        if let Some(arrivals) = &mut self.arrivals
            && arrivals.gathered.is_empty()
        {
            arrivals.gathered = gathered;
        }
        result.and(self.complete(session))
    }

    fn apply_one(
        &mut self,
        packet: &ReceivedPacket<'_>,
        gathers_hooks: bool,
    ) -> Result<(), ReadError> {
        let now = self.context.now();
        let pass = match &mut self.arrivals {
            Some(arrivals) => arrivals.begin(packet, now),
            None => matches!(packet.origin, PacketOrigin::Stream).then_some(Pass::Whole),
        };
        match pass {
            Some(pass) => {
                self.inbound.begin_packet(packet, pass, &self.session);
                self.inbound.packet.gathers_hooks = gathers_hooks;
                self.handle_messages(packet.channel, packet.messages)
            }
            None => Ok(()),
        }
    }

    /// Runs the hooks that wait, applies the datagrams for which the stream has caught up, and reports the
    /// ticks that are complete: to the view, the predictions, the waiting calls, the program.
    fn complete(&mut self, session: u64) -> Result<(), ReadError> {
        self.run_deferred_hooks();
        let (mut result, mut tick) = (Ok(()), 0);
        while self.session.number == session
            && let Some(arrivals) = &mut self.arrivals
            && let Some(held) = arrivals.pop_held()
        {
            if std::mem::replace(&mut tick, held.header.tick) != held.header.tick {
                // The next tick replaces the values that the hooks are to see.
                self.run_deferred_hooks();
            }
            if self.session.number == session {
                let packet = ReceivedPacket {
                    origin: PacketOrigin::Datagram(held.header),
                    tick,
                    channel: held.channel,
                    messages: &held.messages,
                };
                result = result.and(self.apply_one(&packet, true));
            }
        }
        self.run_deferred_hooks();
        while self.session.number == session {
            let rate = self.session.tick_rate(&self.context.config);
            let arrivals = self.arrivals.as_mut();
            let Some(report) = arrivals.and_then(|arrivals| arrivals.next_report(rate)) else {
                break;
            };
            let (predictions, lent) = self.lend_predictions();
            predictions.compare(report, &lent);
            // The state of the ticks of a lost link comes with the burst.
            if self.context.clock.server.has_begun() {
                self.run_calls(DueCalls::UpTo(report));
            }
            if self.session.is_current(session)
                && let Some(tick) = self.session.network_tick(report.tick)
            {
                self.context.events.push(ClientEvent::Tick {
                    tick,
                    complete: report.up_to_tick,
                    after_gap: report.after_gap,
                });
            }
        }
        self.inbound.packet = PacketContext::default();
        result
    }

    /// Runs the calls that have waited for the state of their tick.
    pub(crate) fn run_calls(&mut self, due: DueCalls) {
        let session = self.session.number;
        while self.session.number == session
            && let Some(arrivals) = &mut self.arrivals
            && let Some(call) = arrivals.pop_call(due)
        {
            let packet = ReceivedPacket {
                origin: PacketOrigin::Stream,
                tick: call.tick,
                channel: call.channel,
                messages: &call.message,
            };
            let pass = Pass::Whole;
            self.inbound.begin_packet(&packet, pass, &self.session);
            // It does not wait again, although the tick may be unreported.
            self.inbound.packet.tick = None;
            // `CallFailed` reports it.
            if let Err(error) = self.handle_messages(packet.channel, packet.messages) {
                tracing::debug!(%error, "a malformed call behind the state of its tick");
            }
        }
    }
}
