//! `ZoneStreams`: records of the zones, on their way to the clients.
//!
//! Records of a zone are played in the order of their numbers, each when its tick is due. A gap is closed by the records themselves, so
//! that no call is lost, or by a keyframe when the zone has them no more.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use crate::gateway::shift::TickShift;
use crate::relay::clock::OriginClock;
use crate::zone::ZoneId;
use crate::zone::gateway_record::{GatewayRecord, GatewayState, records_from_bytes};
use crate::zone::membership::Directory;
use crate::zone::message::ZoneCall;
use crate::{Carrier, NodeId, Question, QuestionId, Topic};

/// Time for a missing record to arrive, before a gateway asks for it.
const PATIENCE: Duration = Duration::from_millis(50);

/// Shortest time between two questions for records, and for a keyframe.
const RECORDS_PAUSE: Duration = Duration::from_millis(150);
const KEYFRAME_PAUSE: Duration = Duration::from_secs(1);

/// Silence after which a gateway asks for a keyframe: a zone that has lost sight of the gateway writes no records for it. A zone writes a
/// record every 100 ms.
const SILENCE: Duration = Duration::from_secs(1);

/// Most records of a zone that wait.
const MAX_WAITING: usize = 1024;

/// Question to a zone without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamQuestion {
    Keyframe(QuestionId),
    Records(QuestionId),
}

/// Input that is due.
#[derive(Debug)]
pub(super) enum Due {
    State(Box<GatewayState>),
    Record(Box<GatewayRecord>),
}

/// Records of a process of a zone.
#[derive(Debug)]
pub(super) struct ZoneStream {
    node: NodeId,
    /// Checksum of the origin of the records; `None` before the first keyframe.
    origin: Option<u32>,
    /// Number of the last record that was played.
    played: u64,
    waiting: BTreeMap<u64, Box<GatewayRecord>>,
    state: Option<Box<GatewayState>>,
    needs_keyframe: bool,
    asked: Option<StreamQuestion>,
    /// Moments of the last questions for records and for a keyframe.
    last: [Option<Duration>; 2],
    /// Moment of the last record or keyframe, or of the first look.
    heard: Option<Duration>,
    /// Time since which a record is missing.
    lacking: Option<Duration>,
    clock: OriginClock,
    pub(super) shift: TickShift,
}

/// Records of all zones.
#[derive(Debug, Default)]
pub(super) struct ZoneStreams {
    streams: BTreeMap<ZoneId, ZoneStream>,
    /// Streams of new processes, before their first keyframe.
    next: BTreeMap<ZoneId, ZoneStream>,
    /// Records and keyframes that were unreadable.
    pub(super) damaged: u64,
}

impl ZoneStreams {
    /// Returns the zones with their streams.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (ZoneId, &mut ZoneStream)> {
        self.streams
            .iter_mut()
            .map(|(zone, stream)| (*zone, stream))
    }

    /// Returns the zones.
    pub(super) fn zones(&self) -> impl Iterator<Item = ZoneId> {
        self.streams.keys().copied()
    }

    /// Follows the present processes of the zones, and asks for what is missing.
    pub(super) fn update(
        &mut self,
        carrier: &mut impl Carrier,
        directory: &Directory,
        now: Duration,
    ) {
        for (zone, node) in directory.nodes() {
            let known = self.next.get(&zone).or_else(|| self.streams.get(&zone));
            if known.is_none_or(|stream| stream.node != node) {
                if let Some(former) = self.next.insert(zone, ZoneStream::new(node)) {
                    carrier.unsubscribe(former.node, Topic::GATEWAY);
                }
                carrier.subscribe(node, Topic::GATEWAY);
            }
        }
        for stream in self.streams.values_mut().chain(self.next.values_mut()) {
            stream.ask(carrier, now);
        }
    }

    /// Takes a record of a zone.
    pub(super) fn take_record(&mut self, publisher: NodeId, bytes: &[u8], now: Duration) {
        let mut streams = self.streams.values_mut().chain(self.next.values_mut());
        let Some(stream) = streams.find(|stream| stream.node == publisher) else {
            return;
        };
        match GatewayRecord::from_bytes(bytes) {
            Some(record) => stream.take(record, now),
            None => self.damaged += 1,
        }
    }

    /// Takes the end of a question. Returns whether it was one of a stream.
    pub(super) fn take_answer(
        &mut self,
        carrier: &mut impl Carrier,
        id: QuestionId,
        answer: Option<&Bytes>,
        now: Duration,
    ) -> bool {
        let mut streams = self.streams.iter_mut().chain(self.next.iter_mut());
        let asked = [
            Some(StreamQuestion::Keyframe(id)),
            Some(StreamQuestion::Records(id)),
        ];
        let Some((zone, stream)) = streams.find(|(_, stream)| asked.contains(&stream.asked)) else {
            return false;
        };
        let zone = *zone;
        let was_keyframe = stream.asked.take() == Some(StreamQuestion::Keyframe(id));
        let Some(answer) = answer else {
            return true;
        };
        let is_read = if was_keyframe {
            let state = GatewayState::from_bytes(answer).filter(|it| it.facts.zone == zone);
            state.map(|state| stream.take_state(state, now)).is_some()
        } else {
            stream.take_records(answer, now)
        };
        self.damaged += u64::from(!is_read);
        if self
            .next
            .get(&zone)
            .is_some_and(|next| next.state.is_some())
            && let Some(stream) = self.next.remove(&zone)
            && let Some(former) = self.streams.insert(zone, stream)
        {
            carrier.unsubscribe(former.node, Topic::GATEWAY);
        }
        true
    }

    /// Asks all zones for keyframes: an object was unreadable.
    pub(super) fn need_keyframes(&mut self) {
        for stream in self.streams.values_mut() {
            stream.needs_keyframe = true;
        }
    }
}

impl ZoneStream {
    fn new(node: NodeId) -> Self {
        Self {
            node,
            origin: None,
            played: 0,
            waiting: BTreeMap::new(),
            state: None,
            needs_keyframe: true,
            asked: None,
            last: [None; 2],
            heard: None,
            lacking: None,
            clock: OriginClock::default(),
            shift: TickShift::default(),
        }
    }

    /// Returns the node of the zone.
    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    fn take(&mut self, record: GatewayRecord, now: Duration) {
        self.heard = Some(now);
        self.clock.sample(now, record.record.time());
        let seq = record.record.seq();
        let is_foreign = self.origin.is_some_and(|it| it != record.record.origin());
        if is_foreign || seq <= self.played {
            return;
        }
        self.waiting.insert(seq, Box::new(record));
        if self.waiting.len() > MAX_WAITING {
            self.waiting.pop_first();
            self.needs_keyframe |= self.origin.is_some();
        }
    }

    /// Takes the answer to a question for records. Returns whether it was readable.
    fn take_records(&mut self, answer: &Bytes, now: Duration) -> bool {
        let Some(records) = records_from_bytes(answer) else {
            return false;
        };
        // The zone has forgotten the records.
        self.needs_keyframe |= records.is_empty();
        let mut is_read = true;
        for bytes in records {
            match GatewayRecord::from_bytes(&bytes) {
                Some(record) => self.take(record, now),
                None => is_read = false,
            }
        }
        is_read
    }

    fn take_state(&mut self, state: GatewayState, now: Duration) {
        self.heard = Some(now);
        let keyframe = &state.state.keyframe;
        self.clock.sample(now, keyframe.time());
        let origin = keyframe.origin();
        if self.origin.is_some_and(|it| it != origin) || keyframe.seq() < self.played {
            return;
        }
        self.origin = Some(origin);
        self.needs_keyframe = false;
        let (seq, waiting) = (keyframe.seq(), std::mem::take(&mut self.waiting));
        let is_next = |record: &GatewayRecord| record.record.origin() == origin;
        self.waiting = { waiting.into_iter() }
            .filter(|(number, record)| *number > seq && is_next(record))
            .collect();
        self.state = Some(Box::new(state));
    }

    /// Asks for a keyframe, or for missing records.
    fn ask(&mut self, carrier: &mut impl Carrier, now: Duration) {
        let heard = *self.heard.get_or_insert(now);
        self.needs_keyframe |= now.saturating_sub(heard) >= SILENCE;
        let first = self.waiting.keys().next();
        let has_gap = self.state.is_none() && first.is_some_and(|first| *first > self.played + 1);
        if !has_gap {
            self.lacking = None;
        }
        let since = has_gap.then(|| *self.lacking.get_or_insert(now));
        let lacks = since.is_some_and(|since| now.saturating_sub(since) >= PATIENCE);
        if self.asked.is_some() || !(self.needs_keyframe || lacks) {
            return;
        }
        let pauses = [RECORDS_PAUSE, KEYFRAME_PAUSE];
        let kind = usize::from(self.needs_keyframe);
        if self.last[kind].is_some_and(|last| now.saturating_sub(last) < pauses[kind]) {
            return;
        }
        self.last[kind] = Some(now);
        self.asked = Some(if self.needs_keyframe {
            StreamQuestion::Keyframe(carrier.ask(self.node, Question::Keyframe(Topic::GATEWAY)))
        } else {
            let call = ZoneCall::Records(self.played).to_bytes();
            StreamQuestion::Records(carrier.ask(self.node, Question::Call(call)))
        });
    }

    /// Returns the keyframe that has arrived.
    pub(super) fn state(&self) -> Option<&GatewayState> {
        self.state.as_deref()
    }

    /// Drops a keyframe that is no use, and asks for the next one.
    pub(super) fn drop_state(&mut self) {
        self.state = None;
        self.origin = None;
        self.needs_keyframe = true;
    }

    /// Sets the tick of the zone that is due in a tick of the gateway.
    pub(super) fn begin_tick(&mut self, tick: u64, now: Duration, rate: u32, playout: Duration) {
        let time = self.clock.estimate(now).saturating_sub(playout);
        self.shift.note(tick, time, rate);
    }

    /// Takes the next input that is due in a tick of the gateway.
    pub(super) fn next_due(&mut self, tick: u64) -> Option<Due> {
        if let Some(state) = self.state.take() {
            self.played = state.state.keyframe.seq();
            // Records have arrived behind the keyframe.
            self.waiting = self.waiting.split_off(&(self.played + 1));
            return Some(Due::State(state));
        }
        let due = self.shift.to_zone(tick);
        let entry = self.waiting.first_entry()?;
        let is_next = self.origin.is_some() && *entry.key() == self.played + 1;
        if !is_next || entry.get().record.tick() > due {
            return None;
        }
        self.played += 1;
        Some(Due::Record(entry.remove()))
    }
}
