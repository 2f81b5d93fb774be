//! Application of packets: in full, or the state alone if a datagram is early or known.

use syncvar_runtime::ReadError;

use super::datagrams::Arrived;
use super::gathered::{Origin, Packet};
use crate::client::inbound::{PacketContext, Pass};
use crate::client::{ClientEvent, NetworkClient};

impl NetworkClient {
    /// Applies the packets that wait, a last one that does not, and all that follows from them.
    pub(super) fn apply_gathered(&mut self, last: Option<&Packet<'_>>) -> Result<(), ReadError> {
        let session = self.session.number;
        let Some(arrivals) = &mut self.arrivals else {
            return Ok(());
        };
        if arrivals.gathered.is_empty() {
            return last.map_or(Ok(()), |packet| self.apply(packet));
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

    /// Applies a packet, and all that follows from it.
    pub(super) fn apply(&mut self, packet: &Packet<'_>) -> Result<(), ReadError> {
        let session = self.session.number;
        let result = self.apply_one(packet, false);
        result.and(self.complete(session))
    }

    /// Applies the entries of a datagram that has arrived before, or is too old to be acknowledged.
    pub(super) fn apply_again(
        &mut self,
        header: &Arrived,
        channel: u8,
        messages: &[u8],
    ) -> Result<(), ReadError> {
        let pass = Pass::State { early: false };
        let result = self.read_packet((header.tick, pass, false), channel, messages);
        self.inbound.packet = PacketContext::default();
        result
    }

    /// Applies the entries of a waiting datagram whose behaviours do not wait for the other packets of the tick. The
    /// whole datagram has the same errors later.
    #[cold]
    pub(super) fn apply_at_once(&mut self, header: &Arrived, channel: u8, messages: &[u8]) {
        let datagrams = self.arrivals.as_ref().and_then(|it| it.datagrams.as_ref());
        let early = datagrams.is_some_and(|it| it.receiver.is_early(header.after));
        let form = (header.tick, Pass::AtOnce { early }, false);
        if let Err(error) = self.read_packet(form, channel, messages) {
            tracing::debug!(%error, "a malformed message of a datagram that waits");
        }
        self.inbound.packet = PacketContext::default();
    }

    fn apply_one(&mut self, packet: &Packet<'_>, gathers_hooks: bool) -> Result<(), ReadError> {
        match packet.origin {
            Origin::Stream => self.apply_stream(packet, gathers_hooks),
            Origin::Datagram(header) => {
                self.apply_datagram(&header, gathers_hooks, (packet.channel, packet.messages))
            }
        }
    }

    fn apply_stream(&mut self, packet: &Packet<'_>, gathers_hooks: bool) -> Result<(), ReadError> {
        let (tick, now) = (packet.tick, self.context.now());
        if let Some(arrivals) = &mut self.arrivals {
            // Before its messages: a callback may lose the link, and the packet does not come again.
            arrivals.ticks.stream_applied(tick);
            if let Some(datagrams) = &mut arrivals.datagrams {
                datagrams.receiver.handled_reliable(now);
                datagrams.receiver.see_tick(tick);
            }
        }
        let form = (tick, Pass::Whole, gathers_hooks);
        self.read_packet(form, packet.channel, packet.messages)
    }

    /// Applies a datagram, or what does not depend on missing packets of the stream.
    fn apply_datagram(
        &mut self,
        header: &Arrived,
        gathers_hooks: bool,
        (channel, messages): (u8, &[u8]),
    ) -> Result<(), ReadError> {
        let now = self.context.now();
        let Some(arrivals) = &mut self.arrivals else {
            return Ok(());
        };
        let Some(datagrams) = &mut arrivals.datagrams else {
            return Ok(());
        };
        if datagrams.receiver.is_early(header.after) {
            datagrams.receiver.count_early();
            datagrams.held.push(*header, channel, messages);
            let form = (header.tick, Pass::State { early: true }, gathers_hooks);
            return self.read_packet(form, channel, messages);
        }
        datagrams.mark(header, now);
        arrivals.ticks.datagram_applied(header);
        self.read_packet((header.tick, Pass::Whole, gathers_hooks), channel, messages)
    }

    fn read_packet(
        &mut self,
        (tick, pass, gathers_hooks): (u32, Pass, bool),
        channel: u8,
        messages: &[u8],
    ) -> Result<(), ReadError> {
        self.inbound.packet = PacketContext {
            tick: Some(tick),
            network_tick: self.network_tick(tick),
            pass,
            gathers_hooks,
        };
        self.handle_messages(channel, messages)
    }

    /// Runs the hooks that wait, applies the datagrams for which the stream has caught up, and reports the
    /// ticks that are complete.
    fn complete(&mut self, session: u64) -> Result<(), ReadError> {
        self.run_deferred_hooks();
        let (mut result, mut tick) = (Ok(()), 0);
        while self.session.number == session
            && let Some(arrivals) = &mut self.arrivals
            && let Some(datagrams) = &mut arrivals.datagrams
            && let Some(held) = datagrams.held.pop(datagrams.receiver.handled())
        {
            if std::mem::replace(&mut tick, held.header.tick) != held.header.tick {
                // The next tick replaces the values that the hooks are to see.
                self.run_deferred_hooks();
            }
            if self.session.number == session {
                let packet = (held.channel, &*held.messages);
                result = result.and(self.apply_datagram(&held.header, true, packet));
            }
        }
        self.run_deferred_hooks();
        while self.session.number == session && self.report_tick() {}
        self.inbound.packet = PacketContext::default();
        result
    }

    /// Runs the calls of the next complete tick, and reports it. Returns whether there was one.
    fn report_tick(&mut self) -> bool {
        let Some(arrivals) = &mut self.arrivals else {
            return false;
        };
        let handled = arrivals.handled();
        let Some(report) = arrivals.ticks.next_report(handled) else {
            return false;
        };
        let (mut after_gap, mut complete) = (false, report.complete && !report.owed);
        if let Some(datagrams) = &mut arrivals.datagrams {
            after_gap = datagrams.report_up_to(report.newest);
            complete &= datagrams.has_all(report.settled, report.newest);
        }
        let session = self.session.number;
        self.note_tick(report.tick, (report.complete, after_gap));
        self.run_late_calls(report.tick, (report.complete, complete));
        if self.session.is_current(session)
            && let Some(tick) = self.network_tick(report.tick)
        {
            self.context.events.push(ClientEvent::Tick {
                tick,
                complete,
                after_gap,
            });
        }
        true
    }
}
