//! A sender and a receiver over a link that loses, duplicates, reorders and lies.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::link::receiver::Receiver;
use crate::link::round_trip::RoundTrip;
use crate::link::sender::records::Fate;

/// One step of a schedule. Positions choose among the packets under way.
#[derive(Clone, Debug)]
enum Op {
    /// Packets of one tick: their chunks, and whether they echo the chunks of the tick before.
    Send(u8, bool),
    Reliable,
    /// Milliseconds that pass before an update of the sender.
    Update(u64),
    Deliver(usize),
    Duplicate(usize),
    Lose(usize),
    Stream,
    Acknowledge,
    DeliverAck(usize),
    DuplicateAck(usize),
    LoseAck(usize),
    Forge(Option<u16>, u16, u64),
}

/// Returns the steps of an honest peer.
fn op() -> impl Strategy<Value = Op> {
    let near = || prop_oneof![4 => 0..4usize, 1 => 0..64usize];
    prop_oneof![
        6 => (0..3u8, any::<bool>()).prop_map(|(chunks, echo)| Op::Send(chunks, echo)),
        2 => Just(Op::Reliable),
        4 => prop_oneof![8 => 0..60u64, 1 => 0..3_000u64].prop_map(Op::Update),
        6 => near().prop_map(Op::Deliver),
        1 => near().prop_map(Op::Duplicate),
        2 => near().prop_map(Op::Lose),
        3 => Just(Op::Stream),
        3 => Just(Op::Acknowledge),
        3 => near().prop_map(Op::DeliverAck),
        1 => near().prop_map(Op::DuplicateAck),
        1 => near().prop_map(Op::LoseAck),
    ]
}

/// Returns the steps of a peer that lies about what it has.
fn forged() -> impl Strategy<Value = Op> {
    let number = || prop_oneof![3 => 0..200u16, 1 => any::<u16>()];
    let newest = prop::option::of(number());
    let handled = prop_oneof![Just(0), number()];
    (newest, handled, any::<u64>())
        .prop_map(|(newest, handled, missing)| Op::Forge(newest, handled, missing))
}

/// Both halves, the packets under way, and an account of the verdicts.
struct World {
    link: Link,
    receiver: Receiver,
    now: Duration,
    tick: u32,
    /// Datagrams under way: sequence and number of reliable packets before it.
    down: Vec<(u64, u64)>,
    up: Vec<Ack>,
    /// Reliable packets under way.
    stream: u64,
    held: VecDeque<(u64, u64)>,
    applied: BTreeSet<u64>,
    /// Verdicts by the number of a packet, which is its own entry.
    packets: BTreeMap<u32, Vec<VerdictKind>>,
    /// Packets with a chunk, and the verdicts on it.
    chunks: BTreeMap<u64, (Vec<u64>, Vec<VerdictKind>)>,
    last_chunks: Vec<ChunkRef>,
    is_honest: bool,
}

impl World {
    fn new(ring: usize, is_honest: bool) -> Self {
        let settings = LossSettings {
            ring,
            tick_interval: ms(33),
            ..LossSettings::default()
        };
        Self {
            link: Sender::new(settings, RoundTrip::new(ROUND_TRIP)),
            receiver: Receiver::new(settings.ack_interval),
            now: ms(0),
            tick: 1,
            down: Vec::new(),
            up: Vec::new(),
            stream: 0,
            held: VecDeque::new(),
            applied: BTreeSet::new(),
            packets: BTreeMap::new(),
            chunks: BTreeMap::new(),
            last_chunks: Vec::new(),
            is_honest,
        }
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Send(chunks, echo) => self.send(chunks, echo),
            Op::Reliable => {
                self.link.count_reliable();
                self.stream += 1;
            }
            Op::Update(time) => self.update(ms(time)),
            Op::Deliver(at) => {
                if let Some((sequence, after)) = take(&mut self.down, at) {
                    self.receive(sequence, after);
                }
            }
            Op::Duplicate(at) => {
                if let Some((sequence, after)) = self.down.get(at).copied() {
                    self.receive(sequence, after);
                }
            }
            Op::Lose(at) => _ = take(&mut self.down, at),
            Op::Stream => self.stream_packet(),
            Op::Acknowledge => {
                let ack = self.receiver.take_ack();
                self.up.push(ack);
            }
            Op::DeliverAck(at) => {
                if let Some(ack) = take(&mut self.up, at) {
                    self.on_ack(&ack);
                }
            }
            Op::DuplicateAck(at) => {
                if let Some(ack) = self.up.get(at).copied() {
                    self.on_ack(&ack);
                }
            }
            Op::LoseAck(at) => _ = take(&mut self.up, at),
            Op::Forge(newest, handled, missing) => self.on_ack(&Ack {
                newest,
                handled,
                missing,
            }),
        }
        self.check_memory();
    }

    /// Records a packet with chunks of this tick and, if they are flying, those of the tick before.
    fn send(&mut self, chunks: u8, echo: bool) {
        if self.link.is_detached() {
            return;
        }
        let next = self.chunks.len() as u64;
        let tick = self.tick;
        let new: Vec<_> = (0..chunks.into())
            .map(|at| chunk(next + at, tick))
            .collect();
        let mut all = std::mem::replace(&mut self.last_chunks, new.clone());
        all.retain(|chunk| echo && self.link.awaits(chunk.number));
        all.extend(new);
        self.record(&all);
    }

    fn record(&mut self, chunks: &[ChunkRef]) {
        let number = u32::try_from(self.packets.len()).unwrap() + 1;
        let mut verdicts = Vec::new();
        let after = self.link.reliable_sent();
        let chunk_refs = chunks.iter().copied();
        let (now, tick) = (self.now, self.tick);
        let sequence = self
            .link
            .record(now, tick, after, chunk_refs, &[number], &mut verdicts);
        assert_eq!(sequence, u64::from(number));
        self.judge(&verdicts);
        self.packets.insert(number, Vec::new());
        for chunk in chunks {
            let copies = self.chunks.entry(chunk.number).or_default();
            copies.0.push(sequence);
        }
        self.down.push((sequence, after));
    }

    fn update(&mut self, time: Duration) {
        self.now += time;
        self.tick += 1;
        let mut verdicts = Vec::new();
        let must_probe = self.link.on_time(self.now, self.tick, &mut verdicts);
        self.judge(&verdicts);
        self.check_fates();
        if self.link.is_stalled(self.now, 4) {
            verdicts.clear();
            self.link.detach(self.now, self.tick - 1, &mut verdicts);
            self.judge(&verdicts);
        } else if must_probe {
            self.link.probe_sent(self.now);
            self.record(&[]);
        }
    }

    fn receive(&mut self, sequence: u64, after: u64) {
        let sequence = self.receiver.extend_sequence(low_bits(sequence));
        let is_held = self.held.iter().any(|held| held.0 == sequence);
        if self.receiver.is_known(sequence) || is_held {
            return;
        }
        if self.receiver.is_early(after) {
            self.held.push_back((sequence, after));
        } else {
            self.apply(sequence);
        }
    }

    fn apply(&mut self, sequence: u64) {
        assert!(self.applied.insert(sequence), "applied twice");
        if self.receiver.must_acknowledge_before(sequence) {
            self.up.push(self.receiver.take_ack());
        }
        self.receiver.mark(sequence, self.now);
    }

    fn stream_packet(&mut self) {
        if self.stream == 0 {
            return;
        }
        self.stream -= 1;
        self.receiver.handled_reliable(self.now);
        while let Some((sequence, after)) = self.held.front().copied()
            && !self.receiver.is_early(after)
        {
            self.held.pop_front();
            // It may have become older than the mask.
            if !self.receiver.is_known(sequence) {
                self.apply(sequence);
            }
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut verdicts = Vec::new();
        self.link.on_ack(self.now, ack, &mut verdicts);
        let is_taken_back = |verdict: &Verdict<u32>| verdict.kind == VerdictKind::TakenBack;
        assert!(verdicts.iter().all(is_taken_back));
        self.judge(&verdicts);
        verdicts.clear();
        self.link.on_gap(&mut verdicts);
        self.judge(&verdicts);
    }

    fn judge(&mut self, verdicts: &[Verdict<u32>]) {
        for verdict in verdicts {
            match verdict.content {
                Content::Own(number) => {
                    let kinds = self.packets.get_mut(&number).unwrap();
                    kinds.push(verdict.kind);
                    let order = [VerdictKind::Lost, VerdictKind::TakenBack];
                    assert!(order.starts_with(kinds), "packet {number}: {kinds:?}");
                }
                Content::Chunk(number) => {
                    self.chunks.get_mut(&number).unwrap().1.push(verdict.kind);
                }
            }
        }
        for verdict in verdicts {
            let Content::Chunk(number) = verdict.content else {
                continue;
            };
            if verdict.kind == VerdictKind::Lost {
                let (copies, kinds) = &self.chunks[&number];
                assert_eq!(kinds, &[VerdictKind::Lost], "chunk {number}");
                for copy in copies {
                    let copy = u32::try_from(*copy).unwrap();
                    assert_eq!(self.packets[&copy], [VerdictKind::Lost], "copy of {number}");
                }
            }
        }
    }

    fn check_memory(&self) {
        let ring = self.link.settings.ring;
        let [packets, chunks, own, copies] = self.link.records.lengths();
        assert!(packets <= ring && own <= ring && chunks <= 4 * ring && copies <= chunks);
    }

    /// After an update no packet is flying for longer than the rules allow, and acknowledged ones were
    /// applied.
    fn check_fates(&self) {
        let mut flying = 0;
        for sequence in self.link.records.first()..self.link.records.next() {
            let packet = self.link.records.get(sequence).unwrap();
            if packet.fate == Fate::Flying {
                flying += 1;
                assert!(self.tick - packet.tick <= 64);
                let age = self.now.saturating_sub(packet.at);
                let behind = self.link.records.get(sequence + 3);
                let waits =
                    behind.is_some_and(|it| it.at + self.link.round_trip.upper() < self.now);
                let longest = self.link.loss_time() * if waits { 2 } else { 1 };
                assert!(age <= longest || packet.after > self.link.handled());
                assert!(sequence + 3 > self.link.newest_acked);
            } else if self.is_honest && packet.fate == Fate::Acked {
                assert!(self.applied.contains(&sequence), "{sequence}");
            }
        }
        assert_eq!(flying, self.link.loss().flying);
    }

    /// Delivers everything from now on, until all is decided.
    fn settle(&mut self) {
        for _ in 0..150 {
            if self.held.is_empty() && !self.link.is_detached() && self.link.loss().flying == 0 {
                break;
            }
            while self.stream > 0 {
                self.step(&Op::Stream);
            }
            while !self.down.is_empty() {
                self.step(&Op::Deliver(0));
            }
            if self.receiver.due(self.now) {
                self.step(&Op::Acknowledge);
            }
            while !self.up.is_empty() {
                self.step(&Op::DeliverAck(0));
            }
            self.step(&Op::Update(33));
        }
        assert!(self.held.is_empty() && !self.link.is_detached());
        assert_eq!(self.link.oldest_open_tick(), None);
        // A chunk has arrived or is owed.
        for (number, (copies, kinds)) in &self.chunks {
            let has_arrived = copies.iter().any(|copy| self.applied.contains(copy));
            assert!(
                has_arrived || kinds == &[VerdictKind::Lost],
                "chunk {number}"
            );
        }
        for (number, kinds) in &self.packets {
            let has_arrived = self.applied.contains(&u64::from(*number));
            assert!(
                has_arrived || kinds == &[VerdictKind::Lost],
                "packet {number}"
            );
        }
    }
}

fn take<T>(list: &mut Vec<T>, at: usize) -> Option<T> {
    (at < list.len()).then(|| list.remove(at))
}

proptest! {
    #[test]
    fn every_packet_arrives_or_is_owed(
        ring in prop_oneof![Just(256usize), 8..40usize],
        ops in prop::collection::vec(op(), 1..400),
    ) {
        let mut world = World::new(ring, true);
        for op in &ops {
            world.step(op);
        }
        world.settle();
        prop_assert_eq!(world.link.bad_acks(), 0);
    }

    #[test]
    fn lies_decide_nothing_twice_and_take_no_memory(
        ring in prop_oneof![Just(256usize), 8..40usize],
        ops in prop::collection::vec(prop_oneof![8 => op(), 1 => forged()], 1..400),
    ) {
        let mut world = World::new(ring, false);
        for op in &ops {
            world.step(op);
        }
    }

    /// A link without loss or delay beyond the loss time declares nothing lost.
    #[test]
    fn nothing_is_lost_on_a_perfect_link(sends in prop::collection::vec(0..8u8, 1..100)) {
        let mut world = World::new(256, true);
        for packets in sends {
            for _ in 0..packets {
                world.step(&Op::Send(1, false));
            }
            while !world.down.is_empty() {
                world.step(&Op::Deliver(0));
            }
            if world.receiver.due(world.now) {
                world.step(&Op::Acknowledge);
            }
            while !world.up.is_empty() {
                world.step(&Op::DeliverAck(0));
            }
            world.step(&Op::Update(20));
        }
        world.settle();
        prop_assert!(world.packets.values().all(Vec::is_empty));
    }
}
