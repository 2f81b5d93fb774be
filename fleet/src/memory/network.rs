//! `Network`: nodes, payloads on their way, questions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Random;

use super::faults::{Faults, damage, happens};
use crate::carrier::OpenQuestions;
use crate::{CarrierEvent, Node, NodeId, Question, QuestionId, Role, Topic};

/// Time without an answer after which a question ends.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);

/// Silence after which a node counts as gone.
const LEASE: Duration = Duration::from_secs(2);

/// Bytes between two nodes.
#[derive(Clone, Debug)]
pub(super) enum Payload {
    Record(Topic, Bytes),
    Question(QuestionId, Question),
    Answer(QuestionId, Bytes),
}

/// A payload on its way.
#[derive(Debug)]
struct Travelling {
    from: NodeId,
    to: NodeId,
    payload: Payload,
}

/// A node with its view of the fleet.
#[derive(Debug)]
struct Member {
    node: Node,
    is_stalled: bool,
    sources: Vec<NodeId>,
    /// Nodes that it has reported as alive.
    known: BTreeSet<NodeId>,
    subscriptions: BTreeSet<(NodeId, Topic)>,
    events: VecDeque<CarrierEvent>,
    questions: OpenQuestions,
}

/// State of a fleet in memory.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) faults: Faults,
    now: Duration,
    random: Random,
    members: BTreeMap<NodeId, Member>,
    /// Pairs of connected nodes, the lower number first.
    links: BTreeSet<(NodeId, NodeId)>,
    /// Pairs of parted nodes, with the time of the cut.
    cuts: BTreeMap<(NodeId, NodeId), Duration>,
    /// Payloads by the time of their arrival and the order of sending.
    travelling: BTreeMap<(Duration, u64), Travelling>,
    /// Bytes of the last record to each node.
    former: BTreeMap<NodeId, Bytes>,
    /// Number of payloads and questions so far.
    count: u64,
}

impl Network {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            faults: Faults::default(),
            now: Duration::ZERO,
            random: Random::new(seed),
            members: BTreeMap::new(),
            links: BTreeSet::new(),
            cuts: BTreeMap::new(),
            travelling: BTreeMap::new(),
            former: BTreeMap::new(),
            count: 0,
        }
    }

    pub(super) fn add(&mut self, role: Role, address: &str) -> NodeId {
        let id = NodeId(self.random.number());
        let address = address.into();
        let node = Node { id, role, address };
        self.members.insert(
            id,
            Member {
                node,
                is_stalled: false,
                sources: Vec::new(),
                known: BTreeSet::new(),
                subscriptions: BTreeSet::new(),
                events: VecDeque::new(),
                questions: OpenQuestions::new(ANSWER_TIMEOUT),
            },
        );
        id
    }

    pub(super) fn connect(&mut self, node: NodeId, source: NodeId) {
        self.links.insert(pair(node, source));
        if let Some(member) = self.members.get_mut(&node) {
            member.sources.push(source);
        }
    }

    pub(super) fn cut(&mut self, one: NodeId, other: NodeId, is_cut: bool) {
        if is_cut {
            self.cuts.entry(pair(one, other)).or_insert(self.now);
            self.travelling
                .retain(|_, it| pair(it.from, it.to) != pair(one, other));
        } else {
            self.cuts.remove(&pair(one, other));
        }
    }

    pub(super) fn stall(&mut self, node: NodeId, is_stalled: bool) {
        if let Some(member) = self.members.get_mut(&node) {
            member.is_stalled = is_stalled;
        }
    }

    pub(super) fn crash(&mut self, node: NodeId) {
        self.members.remove(&node);
        self.travelling
            .retain(|_, it| it.from != node && it.to != node);
    }

    /// Returns the living nodes that a node reaches.
    pub(super) fn living(&self, id: NodeId) -> Vec<Node> {
        let others = self.members.values().map(|member| &member.node);
        let living = others.filter(|node| self.is_alive(id, node.id));
        living.cloned().collect()
    }

    pub(super) fn sources(&self, id: NodeId) -> Vec<NodeId> {
        let sources = self.members.get(&id).map(|member| &member.sources[..]);
        let sources = sources.unwrap_or_default().iter().copied();
        sources
            .filter(|source| self.is_alive(id, *source))
            .collect()
    }

    fn is_alive(&self, viewer: NodeId, node: NodeId) -> bool {
        let cut = self.cuts.get(&pair(viewer, node));
        self.members.contains_key(&node)
            && self.links.contains(&pair(viewer, node))
            && cut.is_none_or(|since| self.now.saturating_sub(*since) < LEASE)
    }

    pub(super) fn subscribe(&mut self, node: NodeId, publisher: NodeId, topic: Topic, on: bool) {
        if let Some(member) = self.members.get_mut(&node) {
            if on {
                member.subscriptions.insert((publisher, topic));
            } else {
                member.subscriptions.remove(&(publisher, topic));
            }
        }
    }

    pub(super) fn publish(&mut self, from: NodeId, topic: Topic, record: &Bytes) {
        let subscribed = |member: &&Member| member.subscriptions.contains(&(from, topic));
        let subscribers = self.members.values().filter(subscribed);
        for to in subscribers.map(|member| member.node.id).collect::<Vec<_>>() {
            self.send(from, to, &Payload::Record(topic, record.clone()));
        }
    }

    pub(super) fn ask(&mut self, from: NodeId, to: NodeId, question: Question) -> QuestionId {
        let Some(member) = self.members.get_mut(&from) else {
            return QuestionId(0);
        };
        let (id, has_room) = member.questions.open(to, self.now);
        if has_room {
            self.send(from, to, &Payload::Question(id, question));
        }
        id
    }

    /// Sends a payload, with the faults of the fleet.
    pub(super) fn send(&mut self, from: NodeId, to: NodeId, payload: &Payload) {
        let between = pair(from, to);
        if !self.links.contains(&between) || self.cuts.contains_key(&between) {
            return;
        }
        let copies = 1 + u32::from(happens(&mut self.random, self.faults.repetition));
        for _ in 0..copies {
            if happens(&mut self.random, self.faults.loss) {
                continue;
            }
            let jitter = u32::try_from(self.faults.jitter.as_micros()).unwrap_or(u32::MAX);
            let jitter = Duration::from_micros(self.random.below(jitter).into());
            let payload = self.with_damage(to, payload.clone());
            self.count += 1;
            let at = (self.now + self.faults.delay + jitter, self.count);
            self.travelling.insert(at, Travelling { from, to, payload });
        }
    }

    /// Damages a payload by chance.
    fn with_damage(&mut self, to: NodeId, payload: Payload) -> Payload {
        let is_damaged = happens(&mut self.random, self.faults.damage);
        let mut changed = |bytes: Bytes| {
            let former = self.former.insert(to, bytes.clone());
            let former = former.unwrap_or_else(|| bytes.clone());
            if is_damaged {
                damage(&mut self.random, &bytes, &former)
            } else {
                bytes
            }
        };
        match payload {
            Payload::Record(topic, bytes) => Payload::Record(topic, changed(bytes)),
            Payload::Answer(id, bytes) => Payload::Answer(id, changed(bytes)),
            Payload::Question(id, Question::Call(bytes)) => {
                Payload::Question(id, Question::Call(changed(bytes)))
            }
            Payload::Question(_, Question::Keyframe(_)) => payload,
        }
    }

    pub(super) fn update(&mut self, now: Duration) {
        if now < self.now {
            return;
        }
        while let Some(entry) = self.travelling.first_entry()
            && entry.key().0 <= now
        {
            let arrived = entry.remove();
            self.arrive(arrived);
        }
        self.now = now;
        for id in self.members.keys().copied().collect::<Vec<_>>() {
            let living: BTreeSet<NodeId> = self.living(id).iter().map(|node| node.id).collect();
            if let Some(member) = self.members.get_mut(&id) {
                member.take_living(living);
                let ends = member.questions.expire(now, |_| true);
                member.events.extend(ends);
            }
        }
    }

    fn arrive(&mut self, arrived: Travelling) {
        let Some(member) = self.members.get_mut(&arrived.to) else {
            return;
        };
        let from = arrived.from;
        let event = match arrived.payload {
            Payload::Record(topic, bytes) => CarrierEvent::Record {
                publisher: from,
                topic,
                bytes,
            },
            Payload::Question(id, question) => CarrierEvent::Asked { from, id, question },
            Payload::Answer(id, bytes) => {
                if !member.questions.close(id, from) {
                    return;
                }
                let answer = Some(bytes);
                CarrierEvent::Answered { id, answer }
            }
        };
        member.learn_of(from);
        member.events.push_back(event);
    }

    pub(super) fn poll(&mut self, id: NodeId) -> Option<CarrierEvent> {
        let member = self.members.get_mut(&id)?;
        if member.is_stalled {
            return None;
        }
        member.events.pop_front()
    }
}

impl Member {
    /// Reports a node before its first payload.
    fn learn_of(&mut self, node: NodeId) {
        if self.known.insert(node) {
            self.events.push_back(CarrierEvent::Joined(node));
        }
    }

    /// Reports the nodes that have joined and left.
    fn take_living(&mut self, living: BTreeSet<NodeId>) {
        for node in self.known.difference(&living) {
            self.events.push_back(CarrierEvent::Left(*node));
        }
        for node in &living {
            if !self.known.contains(node) {
                self.events.push_back(CarrierEvent::Joined(*node));
            }
        }
        self.known = living;
    }
}

/// Returns two nodes, the lower number first.
fn pair(one: NodeId, other: NodeId) -> (NodeId, NodeId) {
    (one.min(other), one.max(other))
}
