//! A client: replicas with a tick per field, early packets, ticks told, the owned field.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar_testing::loss::{FIELDS, LossEvent, OWNED, ObjectState, States};

use super::packet::{Chunk, Datagram, Message, ModelEntry, StreamPacket};
use super::rules::Rule;
use super::{Mask, OWNED_BIT, SECRET_BIT, bits};
use crate::link::receiver::Receiver;
use crate::link::round_trip::RoundTrip;
use crate::link::sender::{Content, Sender, Verdict, VerdictKind};
use crate::link::sequence::low_bits;
use crate::link::settings::LossSettings;

/// Packets that wait for the stream.
pub(super) const MAX_HELD: usize = 12;

struct ModelReplica {
    class: u32,
    values: [u32; FIELDS],
    ticks: [u32; FIELDS],
    spawned: u32,
    has: Mask,
    /// 0 unless this client owns the object.
    permit: u32,
    owned_changed: u32,
    is_owned_dirty: bool,
}

/// Packets of a tick that have arrived.
struct Gathered {
    parts: u64,
    count: u8,
    after: u64,
    partial: bool,
}

impl Gathered {
    fn is_whole(&self, handled: u64) -> bool {
        self.parts.count_ones() == u32::from(self.count) && self.after <= handled
    }
}

struct HeldDatagram {
    sequence: u64,
    tick: u32,
    after: u64,
    packet: Datagram,
}

pub(super) struct ModelClient {
    without: Option<Rule>,
    applies_early: bool,
    replicas: BTreeMap<u32, ModelReplica>,
    receiver: Receiver,
    /// Own entries are objects: there is one owned field.
    link: Sender<u32>,
    backlog: BTreeMap<u32, u32>,
    held: Vec<HeldDatagram>,
    gathered: BTreeMap<u32, Gathered>,
    reported: u32,
    /// Own updates so far.
    tick: u32,
    pub(super) events: Vec<LossEvent>,
    pub(super) violation: Option<String>,
}

impl ModelClient {
    pub(super) fn new(settings: LossSettings, without: Option<Rule>, applies_early: bool) -> Self {
        Self {
            without,
            applies_early,
            replicas: BTreeMap::new(),
            receiver: Receiver::new(settings.ack_interval),
            link: Sender::new(settings, RoundTrip::new(settings.tick_interval)),
            backlog: BTreeMap::new(),
            held: Vec::new(),
            gathered: BTreeMap::new(),
            reported: 0,
            tick: 0,
            events: Vec::new(),
            violation: None,
        }
    }

    fn has(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    pub(super) fn states(&self) -> States {
        let states = self.replicas.iter().map(|(object, replica)| {
            let value = |field| (replica.has >> field & 1 == 1).then(|| replica.values[field]);
            let state = ObjectState {
                class: replica.class,
                is_owned: replica.permit != 0,
                values: std::array::from_fn(value),
            };
            (*object, state)
        });
        states.collect()
    }

    pub(super) fn write_owned(&mut self, object: u32, value: u32) {
        let replica = self.replicas.get_mut(&object);
        if let Some(replica) = replica.filter(|replica| replica.permit != 0) {
            replica.values[OWNED] = value;
            replica.is_owned_dirty = true;
            replica.has |= OWNED_BIT;
        }
    }

    /// Applies an entry field by field, unless what is there is as new.
    fn apply(&mut self, entry: &ModelEntry, tick: u32, always: bool) {
        let replica = self.replicas.get_mut(&entry.object);
        let Some(replica) = replica.filter(|replica| tick > replica.spawned) else {
            return;
        };
        if replica.class != entry.class {
            let object = entry.object;
            let text = format!("P0: an entry for object {object} is read as one of another class");
            self.violation = Some(text);
            return;
        }
        for field in bits(entry.mask) {
            // Its owner's value counts. A change of the owner makes the packet early.
            let is_own = field == OWNED && replica.permit != 0;
            if !is_own && (always || tick > replica.ticks[field]) {
                replica.values[field] = entry.values[field];
                replica.ticks[field] = tick;
                replica.has |= 1 << field;
            }
        }
    }

    /// Returns the acknowledgements that must be sent at once.
    pub(super) fn on_stream(&mut self, packet: StreamPacket, now: Duration) -> Vec<Datagram> {
        let tick = packet.tick;
        let always = !self.has(Rule::ReliableTicks);
        for message in packet.messages {
            match message {
                Message::Spawn(entry, owns) => self.spawn(&entry, owns, tick),
                Message::Gone(object) => _ = self.replicas.remove(&object),
                Message::Fields(entry) => self.apply(&entry, tick, always),
                Message::Owner(entry, owns) => self.change_owner(&entry, owns, tick),
                Message::State(packet) => {
                    for entry in packet.entries() {
                        self.apply(entry, tick, false);
                    }
                }
            }
        }
        self.receiver.handled_reliable(now);
        self.receiver.see_tick(tick);
        self.gathered.entry(tick).or_insert(Gathered {
            parts: 0,
            count: packet.datagrams,
            after: self.receiver.handled(),
            partial: packet.partial,
        });
        self.apply_held(now)
    }

    fn spawn(&mut self, entry: &ModelEntry, owns: bool, tick: u32) {
        let replica = ModelReplica {
            class: entry.class,
            values: entry.values,
            ticks: [tick; FIELDS],
            spawned: tick,
            has: entry.mask,
            permit: if owns { entry.permit } else { 0 },
            owned_changed: 0,
            is_owned_dirty: false,
        };
        self.replicas.insert(entry.object, replica);
    }

    fn change_owner(&mut self, entry: &ModelEntry, owns: bool, tick: u32) {
        let always = !self.has(Rule::ReliableTicks);
        self.backlog.remove(&entry.object);
        let Some(replica) = self.replicas.get_mut(&entry.object) else {
            return;
        };
        replica.permit = if owns { entry.permit } else { 0 };
        replica.is_owned_dirty = false;
        for field in bits(entry.mask | SECRET_BIT) {
            if tick <= replica.ticks[field] && !always {
                continue;
            }
            if entry.mask >> field & 1 == 1 {
                replica.values[field] = entry.values[field];
                replica.has |= 1 << field;
            } else {
                replica.has &= !(1 << field);
            }
            replica.ticks[field] = tick;
        }
    }

    /// Returns the acknowledgements that must be sent at once.
    pub(super) fn on_datagram(&mut self, packet: Datagram, now: Duration) -> Vec<Datagram> {
        if let Some(ack) = &packet.ack {
            let mut verdicts = Vec::new();
            self.link.on_ack(now, ack, &mut verdicts);
            self.judge(&verdicts);
            verdicts.clear();
            self.link.on_gap(&mut verdicts);
            self.judge(&verdicts);
        }
        let Some(low) = packet.sequence else {
            return Vec::new();
        };
        let sequence = self.receiver.extend_sequence(low);
        let low_tick = self.receiver.extend_tick(packet.tick);
        let tick = packet.wide.unwrap_or(low_tick);
        let after = packet
            .after
            .map_or(0, |low| self.receiver.extend_after(low));
        let is_early = self.receiver.is_early(after);
        if self.has(Rule::CallOnce) {
            if self.receiver.is_known(sequence) {
                for entry in packet.entries().filter(|_| !is_early) {
                    self.apply(entry, tick, false);
                }
                return Vec::new();
            }
            if self.held.iter().any(|held| held.sequence == sequence) {
                return Vec::new();
            }
        }
        if self.held.len() >= MAX_HELD {
            // Without a mark: it will be owed.
            self.held.remove(0);
        }
        if is_early && self.applies_early {
            let owner = if self.has(Rule::EarlyOwner) {
                SECRET_BIT | OWNED_BIT
            } else {
                0
            };
            for entry in packet.entries() {
                let mask = entry.mask & !owner;
                self.apply(&ModelEntry { mask, ..*entry }, tick, false);
            }
        }
        self.held.push(HeldDatagram {
            sequence,
            tick,
            after,
            packet,
        });
        self.apply_held(now)
    }

    /// Applies the packets for which the stream has caught up, by tick.
    fn apply_held(&mut self, now: Duration) -> Vec<Datagram> {
        let mut answers = Vec::new();
        self.held.sort_by_key(|held| (held.tick, held.sequence));
        let mut at = 0;
        while at < self.held.len() {
            if self.receiver.is_early(self.held[at].after) && self.has(Rule::KeepEarly) {
                at += 1;
                continue;
            }
            let held = self.held.remove(at);
            let (tick, packet) = (held.tick, held.packet);
            for entry in packet.entries() {
                self.apply(entry, tick, false);
            }
            self.events.extend(packet.call.map(LossEvent::Call));
            if self.receiver.must_acknowledge_before(held.sequence) {
                answers.push(self.acknowledgement());
            }
            self.receiver.mark(held.sequence, now);
            self.receiver.see_tick(tick);
            let gathered = self.gathered.entry(tick).or_insert(Gathered {
                parts: 0,
                count: packet.part.1,
                after: held.after,
                partial: packet.partial,
            });
            gathered.parts |= 1 << packet.part.0;
            gathered.count = packet.part.1;
            gathered.after = gathered.after.max(held.after);
        }
        self.report();
        answers
    }

    /// Tells the ticks up to the last whole one.
    fn report(&mut self) {
        let handled = self.receiver.handled();
        let mut whole = self.gathered.iter().rev();
        let last =
            whole.find(|(tick, gathered)| **tick > self.reported && gathered.is_whole(handled));
        let Some(last) = last.map(|(tick, _)| *tick) else {
            while self.gathered.len() > 64 {
                self.gathered.pop_first();
            }
            return;
        };
        let rest = self.gathered.split_off(&(last + 1));
        for (tick, gathered) in std::mem::replace(&mut self.gathered, rest) {
            if tick > self.reported {
                let is_complete = gathered.is_whole(handled) && !gathered.partial;
                self.events.push(LossEvent::Tick(tick, is_complete));
            }
        }
        self.reported = last;
    }

    fn acknowledgement(&mut self) -> Datagram {
        Datagram {
            ack: Some(self.receiver.take_ack()),
            wide: Some(self.tick),
            ..Datagram::default()
        }
    }

    fn judge(&mut self, verdicts: &[Verdict<u32>]) {
        for verdict in verdicts {
            let Content::Own(object) = verdict.content else {
                continue;
            };
            let replica = self.replicas.get(&object);
            if replica.is_some_and(|own| own.permit != 0 && own.owned_changed <= verdict.tick) {
                match verdict.kind {
                    VerdictKind::Lost | VerdictKind::Withheld => {
                        self.backlog.insert(object, self.tick)
                    }
                    VerdictKind::TakenBack => self.backlog.remove(&object),
                };
            }
        }
    }

    /// Sends the owned fields that were written or lost, and an acknowledgement.
    pub(super) fn update(&mut self, now: Duration) -> Vec<Datagram> {
        let mut packets = self.apply_held(now);
        self.tick += 1;
        let mut verdicts = Vec::new();
        self.link.on_time(now, self.tick, &mut verdicts);
        self.judge(&verdicts);
        let mut entries = Vec::new();
        let backlog = std::mem::take(&mut self.backlog);
        for (object, replica) in &mut self.replicas {
            let as_of = backlog.get(object);
            let is_owed = as_of.is_some_and(|as_of| replica.owned_changed <= *as_of);
            if replica.permit == 0 || !replica.is_owned_dirty && !is_owed {
                continue;
            }
            if std::mem::take(&mut replica.is_owned_dirty) {
                replica.owned_changed = self.tick;
            }
            entries.push(ModelEntry {
                object: *object,
                class: replica.class,
                mask: OWNED_BIT,
                values: replica.values,
                permit: replica.permit,
            });
        }
        if entries.is_empty() {
            if self.receiver.due(now) {
                packets.push(self.acknowledgement());
            }
            return packets;
        }
        let own: Vec<_> = entries.iter().map(|entry| entry.object).collect();
        verdicts.clear();
        let sequence = self.link.record(now, self.tick, 0, [], &own, &mut verdicts);
        self.judge(&verdicts);
        let chunk = Chunk {
            number: 0,
            tick: self.tick,
            entries,
        };
        let ack = self.acknowledgement();
        packets.push(Datagram {
            sequence: Some(low_bits(sequence)),
            chunks: vec![chunk.into()],
            ..ack
        });
        packets
    }
}
