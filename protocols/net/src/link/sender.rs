//! `Sender`: sent packets and their fates, the round trip, stalls and probes of one connection.

mod bad_acks;
mod copies;
mod probe;
mod records;

use std::time::Duration;

use super::ack::Ack;
use super::header::{Place, TickNumber};
use super::round_trip::{Average, RoundTrip};
use super::sequence::{extend, extend_down, low_bits};
use super::settings::LossSettings;
use bad_acks::BadAcks;
use probe::ProbeTimer;
use records::{Fate, RUN, Records};

/// Packets that an acknowledgement names, beside its newest one.
const NAMED: u64 = 64;

/// Acknowledged packets in the average of the round trip.
const AVERAGED: u16 = 64;

/// Packets after a lost one on a link that counts as lossy.
const LOSSY: u64 = 300;

/// Distance of ticks from which 16 bits do not suffice.
const WIDE: u32 = 1 << 15;

/// Chunk in a packet, as all connections share it. An echo names the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkRef {
    /// Number of the chunk. Numbers ascend with the ticks.
    pub(crate) number: u64,
    /// Tick of the chunk.
    pub(crate) tick: u32,
}

/// Verdict on a part of a packet. `O` is the connection's own entry: an object and its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict<O> {
    /// Kind of the verdict.
    pub(crate) kind: VerdictKind,
    /// Tick up to which the content counts: that of the chunk, or of the packet for own entries.
    pub(crate) tick: u32,
    /// The part of the packet.
    pub(crate) content: Content<O>,
}

/// Kind of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerdictKind {
    /// The content did not arrive: its fields are owed.
    Lost,
    /// The content was not sent: its fields are owed.
    Withheld,
    /// The content has arrived after all: its fields are not owed any more.
    TakenBack,
}

/// Part of a packet on which there is a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content<O> {
    /// Number of a shared chunk.
    Chunk(u64),
    /// Entry that was written for this connection alone.
    Own(O),
}

impl<O> Content<O> {
    /// Returns the own entry, for changes.
    pub(crate) fn own_mut(&mut self) -> Option<&mut O> {
        match self {
            Self::Chunk(_) => None,
            Self::Own(entry) => Some(entry),
        }
    }
}

/// Counts of the last sent packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    /// Packets that were lost and not taken back, among the last ones of the ring.
    pub(crate) lost: usize,
    /// Acknowledged packets among them.
    pub(crate) acked: usize,
    /// Undecided packets among them.
    pub(crate) flying: usize,
    /// Packets of the connection that were declared lost and acknowledged later.
    pub(crate) spurious: u64,
}

impl Loss {
    /// Returns the lost part of the decided packets.
    pub(crate) fn rate(self) -> f32 {
        let part = |count: usize| f32::from(u16::try_from(count).unwrap_or(u16::MAX));
        part(self.lost) / part(self.lost + self.acked).max(1.0)
    }
}

/// State of a connection that is sent no state by datagram.
#[derive(Clone, Copy, Debug)]
struct Detached {
    /// Tick after which nothing was sent.
    since: u32,
    /// Sequence of the first probe.
    first_probe: u64,
    /// Begin of the time without an answer; `None` until the next update.
    at: Option<Duration>,
}

/// Sending half of a link: the packets of one connection and their fates.
#[derive(Debug)]
pub(crate) struct Sender<O> {
    settings: LossSettings,
    records: Records<O>,
    /// Highest acknowledged sequence. 0 before the first one.
    newest_acked: u64,
    /// Highest tick of an acknowledged packet.
    acked_tick: u32,
    /// Number of reliable packets sent.
    reliable_sent: u64,
    /// Number of reliable packets that the peer has reported as handled.
    handled: u64,
    round_trip: RoundTrip,
    average: Average,
    /// Highest lost sequence. 0 before the first one.
    newest_lost: u64,
    /// Time of the last newly acknowledged packet, or of the first packet after a time without
    /// flying ones.
    news: Duration,
    probe: ProbeTimer,
    detached: Option<Detached>,
    bad_acks: BadAcks,
    spurious: u64,
}

impl<O: Copy> Sender<O> {
    /// Returns the sender of a new connection.
    pub(crate) fn new(settings: LossSettings, round_trip: RoundTrip) -> Self {
        Self {
            settings: LossSettings {
                record_ticks: settings.max_record_ticks(),
                ..settings
            },
            records: Records::new(),
            newest_acked: 0,
            acked_tick: 0,
            reliable_sent: 0,
            handled: 0,
            round_trip,
            average: Average::default(),
            newest_lost: 0,
            news: Duration::ZERO,
            probe: ProbeTimer::default(),
            detached: None,
            bad_acks: BadAcks::default(),
            spurious: 0,
        }
    }

    /// Returns the first undecided sequence, or the next one.
    pub(crate) fn first_open(&self) -> u64 {
        self.records.open().start
    }

    /// Returns the highest sequence of a packet that was lost or forgotten; 0 without one.
    pub(crate) fn last_lost(&self) -> u64 {
        self.records.last_lost()
    }

    /// Counts a reliable packet handed to the transport.
    pub(crate) fn count_reliable(&mut self) {
        self.reliable_sent += 1;
    }

    /// Returns the number of reliable packets sent.
    pub(crate) fn reliable_sent(&self) -> u64 {
        self.reliable_sent
    }

    /// Returns the number of reliable packets that the peer has handled.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }

    /// Records a datagram and returns its sequence. `after` is the number of reliable packets up to
    /// the end of the update.
    ///
    /// A full ring loses its oldest packet, which may add verdicts. Of the decided packets, those stay that an
    /// acknowledgement beside the oldest flying one can name, and up to 7 more.
    pub(crate) fn record(
        &mut self,
        now: Duration,
        tick: u32,
        after: u64,
        chunks: impl IntoIterator<Item = ChunkRef>,
        own: &[O],
        verdicts: &mut Vec<Verdict<O>>,
    ) -> u64 {
        if self.records.decided() >= NAMED + RUN as u64 {
            self.records.remove(RUN, verdicts);
        } else if self.records.len() >= self.settings.ring.max(1) {
            self.records.remove(1, verdicts);
        }
        if self.records.flying() == 0 {
            // Silence counts from here: nobody had to answer before.
            self.news = now;
        }
        let sequence = self.records.next();
        self.records.push(now, tick, after, chunks, own);
        sequence
    }

    /// Marks the packets that an acknowledgement names. A detached connection is attached again if
    /// that includes a probe: returns the tick after which it was sent nothing.
    ///
    /// The verdicts are those on packets that have arrived after all. [`on_gap`](Self::on_gap) must
    /// follow when they are done.
    pub(crate) fn on_ack(
        &mut self,
        now: Duration,
        ack: &Ack,
        verdicts: &mut Vec<Verdict<O>>,
    ) -> Option<u32> {
        let handled = extend(self.handled, ack.handled);
        if handled > self.reliable_sent {
            self.bad_acks.count(now);
            return None;
        }
        self.handled = self.handled.max(handled);
        let last = self.records.next() - 1;
        let newest = extend_down(last, ack.newest?);
        let Some(newest) = newest.filter(|newest| *newest > 0) else {
            // A sequence that was never sent.
            self.bad_acks.count(now);
            return None;
        };
        let (news, late) = self.records.acknowledge(newest, ack.missing, verdicts);
        self.spurious += late;
        self.on_news(now, news?)
    }

    /// Learns from the newest of the packets that an acknowledgement was the first to name.
    fn on_news(&mut self, now: Duration, sequence: u64) -> Option<u32> {
        let packet = self.records.get(sequence)?;
        let sample = now.saturating_sub(packet.at);
        self.round_trip.add(sample);
        self.average.add(sample, AVERAGED);
        self.acked_tick = self.acked_tick.max(packet.tick);
        self.newest_acked = self.newest_acked.max(sequence);
        self.news = now;
        self.probe.restart(now);
        let answered = self
            .detached
            .take_if(|detached| detached.first_probe <= sequence)?;
        Some(answered.since)
    }

    /// Declares packets lost that are too far below the highest acknowledged sequence.
    pub(crate) fn on_gap(&mut self, verdicts: &mut Vec<Verdict<O>>) {
        let end = (self.newest_acked + 1).saturating_sub(self.settings.reorder.max(1));
        for sequence in self.records.open().start..end {
            self.lose(sequence, verdicts);
        }
    }

    fn lose(&mut self, sequence: u64, verdicts: &mut Vec<Verdict<O>>) {
        let packet = self.records.get(sequence);
        if packet.is_some_and(|packet| packet.fate == Fate::Flying) {
            self.newest_lost = self.newest_lost.max(sequence);
        }
        self.records.resolve(sequence, Fate::Lost, verdicts);
    }

    /// Declares packets lost that have been flying for too long. Returns whether a probe is due.
    pub(crate) fn on_time(
        &mut self,
        now: Duration,
        tick: u32,
        verdicts: &mut Vec<Verdict<O>>,
    ) -> bool {
        let loss_time = self.loss_time();
        let mut must_ask = self.detached.is_some();
        for sequence in self.records.open() {
            let Some(packet) = self.records.get(sequence) else {
                break;
            };
            let is_late = now.saturating_sub(packet.at) > loss_time;
            let is_old = tick.saturating_sub(packet.tick) > self.settings.record_ticks;
            if packet.fate != Fate::Flying {
                continue;
            }
            if !is_late && !is_old {
                // The packets behind it are younger.
                break;
            }
            let is_answered_soon = !is_old && self.is_answered_soon(now, sequence);
            if is_old || packet.after <= self.handled && !is_answered_soon {
                self.lose(sequence, verdicts);
            } else {
                // It may be held until the reliable packets before it are handled.
                must_ask = true;
            }
        }
        must_ask && self.probe.is_due(now)
    }

    /// Returns whether the next acknowledgement decides a late packet. If packets behind it are late too, an
    /// acknowledgement was lost rather than all of them, and the next one names them again. To wait for it costs one
    /// interval; to repair them costs their bytes once more.
    fn is_answered_soon(&self, now: Duration, sequence: u64) -> bool {
        let behind = sequence + self.settings.reorder.max(1);
        let age = |packet: &records::Sent| now.saturating_sub(packet.at);
        let packet = self.records.get(sequence);
        let waits = packet.is_some_and(|packet| age(packet) <= self.loss_time() * 2);
        let behind = self.records.get(behind);
        waits && behind.is_some_and(|packet| age(packet) > self.round_trip.upper())
    }

    /// Notes a probe, so that the next one waits longer.
    pub(crate) fn probe_sent(&mut self, now: Duration) {
        let longest = self.settings.max_probe_interval;
        self.probe.sent(now, self.loss_time(), longest);
    }

    /// Returns the time after which an unacknowledged packet is lost.
    pub(crate) fn loss_time(&self) -> Duration {
        let answer = self.round_trip.upper();
        answer
            .saturating_add(self.settings.ack_interval)
            .saturating_add(self.settings.tick_interval)
    }

    /// Returns the tick of the last packet.
    pub(crate) fn last_tick(&self) -> Option<u32> {
        let last = self.records.get(self.last_sequence())?;
        Some(last.tick)
    }

    /// Returns whether one of the last packets was lost.
    pub(crate) fn has_losses(&self) -> bool {
        self.records.lost() > 0
    }

    /// Returns the number of packets that the ring takes before a flying one must go.
    pub(crate) fn room(&self) -> usize {
        let open = self.records.open();
        let used = usize::try_from(open.end - open.start).unwrap_or(usize::MAX);
        self.settings.ring.max(1).saturating_sub(used)
    }

    /// Returns whether an attached connection must be detached before this number of packets is sent.
    pub(crate) fn is_stalled(&self, now: Duration, packets: usize) -> bool {
        let is_silent =
            self.records.flying() > 0 && now.saturating_sub(self.news) > self.settings.stall_after;
        self.detached.is_none() && (is_silent || self.room() < packets)
    }

    /// Stops sending state: everything that is flying is lost, and a probe is due. `since` is the
    /// last tick whose changes were sent.
    pub(crate) fn detach(&mut self, now: Duration, since: u32, verdicts: &mut Vec<Verdict<O>>) {
        for sequence in self.records.open() {
            self.records.resolve(sequence, Fate::Lost, verdicts);
        }
        self.detached = Some(Detached {
            since,
            first_probe: self.records.next(),
            at: Some(now),
        });
        self.probe.hasten(now);
    }

    /// Begins the time without an answer anew with the next update: the peer has another link. The last update may
    /// be long ago.
    pub(crate) fn await_answer(&mut self) {
        if let Some(detached) = &mut self.detached {
            detached.at = None;
        }
    }

    /// Returns whether no state is sent by datagram.
    pub(crate) fn is_detached(&self) -> bool {
        self.detached.is_some()
    }

    /// Returns the time in the detached state.
    pub(crate) fn detached_for(&self, now: Duration) -> Option<Duration> {
        let at = self.detached?.at;
        Some(at.map_or(Duration::ZERO, |at| now.saturating_sub(at)))
    }

    /// Returns whether the connection was detached for so long that it ends.
    pub(crate) fn is_idle(&mut self, now: Duration) -> bool {
        let Some(detached) = &mut self.detached else {
            return false;
        };
        let at = *detached.at.get_or_insert(now);
        now.saturating_sub(at) >= self.settings.idle_timeout
    }

    /// Forgets all packets and the detached state without verdicts. The sequences continue.
    pub(crate) fn forget(&mut self) {
        self.records.clear();
        self.detached = None;
    }

    /// Returns whether no packet is undecided.
    pub(crate) fn is_settled(&self) -> bool {
        self.records.flying() == 0
    }

    /// Returns the place of a datagram in its header: a whole tick if the peer could misread the low bits.
    pub(crate) fn place(&self, sequence: u64, tick: u32) -> Place {
        let number = if self.needs_wide_tick(tick) {
            TickNumber::Wide(tick)
        } else {
            TickNumber::Short(low_bits(tick.into()))
        };
        Place {
            sequence: low_bits(sequence),
            tick: number,
        }
    }

    /// Returns whether the peer could misread the low 16 bits of this tick.
    pub(crate) fn needs_wide_tick(&self, tick: u32) -> bool {
        tick.saturating_sub(self.acked_tick) >= WIDE
    }

    /// Returns whether the peer has not reported all these reliable packets as handled.
    pub(crate) fn needs_after(&self, after: u64) -> bool {
        after > self.handled
    }

    /// Returns whether a chunk is worth an echo: a copy is flying and none was acknowledged.
    pub(crate) fn awaits(&self, chunk: u64) -> bool {
        self.records.awaits(chunk)
    }

    /// Returns the lowest tick on which there may still be a verdict, or none. That includes the last
    /// tick before a connection was detached.
    pub(crate) fn oldest_open_tick(&self) -> Option<u32> {
        let since = self.detached.map(|detached| detached.since);
        self.records
            .oldest_open_tick()
            .into_iter()
            .chain(since)
            .min()
    }

    /// Returns the lowest tick of a packet that may still arrive; `tick` is the present one.
    pub(crate) fn oldest_missing_tick(&self, tick: u32) -> Option<u32> {
        let from = tick.saturating_sub(self.settings.record_ticks);
        self.records.oldest_missing_tick(from)
    }

    /// Returns the own entries of the flying packets, and of later ones that are decided already.
    /// Fields that the peer has are removed from them.
    pub(crate) fn flying_own(&mut self) -> impl Iterator<Item = &mut O> {
        self.records.open_own()
    }

    /// Returns the own entries of the undecided packets, with the ticks of these packets.
    pub(crate) fn undecided_own(&self) -> impl Iterator<Item = (u32, &O)> {
        self.records.flying_own()
    }

    /// Returns whether a packet is undecided.
    #[cfg(test)]
    pub(crate) fn is_flying(&self, sequence: u64) -> bool {
        self.records.is_flying(sequence)
    }

    /// Returns the highest acknowledged sequence; 0 before the first one.
    pub(crate) fn newest_acked(&self) -> u64 {
        self.newest_acked
    }

    /// Returns the sequence of the last recorded packet; 0 before the first one.
    pub(crate) fn last_sequence(&self) -> u64 {
        self.records.next() - 1
    }

    /// Returns whether a packet was acknowledged and is in the ring.
    pub(crate) fn is_acked(&self, sequence: u64) -> bool {
        let packet = self.records.get(sequence);
        packet.is_some_and(|packet| packet.fate == Fate::Acked)
    }

    /// Returns the counts of the last packets.
    pub(crate) fn loss(&self) -> Loss {
        let (lost, flying) = (self.records.lost(), self.records.flying());
        Loss {
            lost,
            acked: self.records.len() - lost - flying,
            flying,
            spurious: self.spurious,
        }
    }

    /// Returns the round trip.
    pub(crate) fn round_trip(&self) -> RoundTrip {
        self.round_trip
    }

    /// Returns whether one of the last 300 packets was lost.
    pub(crate) fn is_lossy(&self) -> bool {
        self.newest_lost > 0 && self.records.next() - self.newest_lost <= LOSSY
    }

    /// Returns the round trip over more packets.
    pub(crate) fn average(&self) -> &Average {
        &self.average
    }

    /// Returns the number of false acknowledgements.
    pub(crate) fn bad_acks(&self) -> u64 {
        self.bad_acks.total()
    }

    /// Returns whether there were so many false acknowledgements in a minute that the connection ends.
    pub(crate) fn has_too_many_bad_acks(&self) -> bool {
        self.bad_acks.in_minute() >= self.settings.max_bad_acks
    }
}

#[cfg(test)]
mod tests;
