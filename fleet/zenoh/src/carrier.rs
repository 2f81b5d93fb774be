//! `ZenohCarrier`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use syncvar_fleet::carrier::OpenQuestions;
use syncvar_fleet::{Carrier, CarrierEvent, Node, NodeId, Question, QuestionId, Topic};
use zenoh::query::Query;

use crate::mailbox::Mail;
use crate::session::{NodeInput, NodeOutput, NodeSession};
use crate::{ZenohConfig, ZenohError};

/// Time without an answer after which a question ends.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Most received questions that wait for the answer of the program.
const MAX_ASKED: usize = 4096;

/// A [`Carrier`] over zenoh, embedded, without a router.
///
/// zenoh runs in its threads. No call of the trait waits for it: records and questions leave by a thread of the node, and
/// at most 64 records wait for this thread. A node that is slower than its source loses the oldest records. A silent node counts
/// as gone after 2 s.
///
/// A fleet is a trust domain: each node may publish records. Relays of strangers connect by
/// [`LinkCarrier`](syncvar_fleet::link::LinkCarrier).
///
/// zenoh 1.10.2 delivers damaged records if it closes a congested link by force. The checksum of each record finds them, and they count as lost.
#[derive(Debug)]
pub struct ZenohCarrier {
    id: NodeId,
    tier: u8,
    session: NodeSession,
    nodes: BTreeMap<NodeId, (Node, u8)>,
    subscriptions: BTreeSet<(NodeId, Topic)>,
    events: VecDeque<CarrierEvent>,
    questions: OpenQuestions,
    /// Received questions that wait for the answer of the program, with the times of their ends.
    asked: BTreeMap<(NodeId, QuestionId), (Query, Duration)>,
    now: Duration,
}

impl ZenohCarrier {
    /// Opens the carrier of a node: it listens, and dials its sources in the background. `id` is random, such as `rand::random()`.
    ///
    /// # Errors
    ///
    /// With a malformed name of the world, a malformed address, an address without encryption beyond this machine, certificates that cannot be
    /// read, and a port that is taken.
    pub fn open(id: NodeId, config: &ZenohConfig) -> Result<Self, ZenohError> {
        Ok(Self {
            id,
            tier: config.tier,
            session: NodeSession::open(id, config, ANSWER_TIMEOUT)?,
            nodes: BTreeMap::new(),
            subscriptions: BTreeSet::new(),
            events: VecDeque::new(),
            questions: OpenQuestions::new(ANSWER_TIMEOUT),
            asked: BTreeMap::new(),
            now: Duration::ZERO,
        })
    }

    fn take(&mut self, input: NodeInput) {
        match input {
            NodeInput::Alive(node, tier) => {
                let id = node.id;
                if self.nodes.insert(id, (node, tier)).is_none() {
                    self.events.push_back(CarrierEvent::Joined(id));
                }
            }
            NodeInput::Gone(id) => {
                if self.nodes.remove(&id).is_some() {
                    self.events.push_back(CarrierEvent::Left(id));
                }
            }
            NodeInput::Asked(from, id, question, query) => {
                if self.asked.len() < MAX_ASKED {
                    let until = self.now + ANSWER_TIMEOUT;
                    self.asked.insert((from, id), (query, until));
                    let event = CarrierEvent::Asked { from, id, question };
                    self.events.push_back(event);
                }
            }
            NodeInput::Answered(from, id, bytes) => {
                if self.questions.close(id, from) {
                    let answer = Some(bytes);
                    self.events.push_back(CarrierEvent::Answered { id, answer });
                }
            }
        }
    }

    fn take_record(&mut self, (publisher, topic, bytes): (NodeId, Topic, Bytes)) {
        if self.subscriptions.contains(&(publisher, topic)) {
            self.events.push_back(CarrierEvent::Record {
                publisher,
                topic,
                bytes,
            });
        }
    }
}

impl Carrier for ZenohCarrier {
    fn id(&self) -> NodeId {
        self.id
    }

    fn update(&mut self, now: Duration) {
        self.now = now;
        while let Some(mail) = self.session.inbox.take() {
            match mail {
                Mail::Message(input) => self.take(input),
                Mail::Record(record) => self.take_record(record),
            }
        }
        self.asked.retain(|_, (_, until)| *until > now);
        let ends = { &mut self.questions }.expire(now, |node| self.nodes.contains_key(&node));
        self.events.extend(ends);
    }

    fn nodes(&self) -> Vec<Node> {
        self.nodes.values().map(|(node, _)| node.clone()).collect()
    }

    fn sources(&self) -> Vec<NodeId> {
        let above = { self.nodes.values() }.filter(|(_, tier)| *tier < self.tier);
        let mut sources: Vec<_> = above
            .map(|(node, tier)| (Reverse(*tier), node.id))
            .collect();
        sources.sort_unstable();
        sources.into_iter().map(|(_, id)| id).collect()
    }

    fn subscribe(&mut self, publisher: NodeId, topic: Topic) {
        if self.subscriptions.insert((publisher, topic)) {
            self.session
                .outbox
                .push(NodeOutput::Subscribe(publisher, topic));
        }
    }

    fn unsubscribe(&mut self, publisher: NodeId, topic: Topic) {
        if self.subscriptions.remove(&(publisher, topic)) {
            self.session
                .outbox
                .push(NodeOutput::Unsubscribe(publisher, topic));
        }
    }

    fn publish(&mut self, topic: Topic, record: Bytes) {
        self.session.outbox.push_record((topic, record));
    }

    fn ask(&mut self, to: NodeId, question: Question) -> QuestionId {
        let (id, has_room) = self.questions.open(to, self.now);
        if has_room {
            self.session.outbox.push(NodeOutput::Ask(to, id, question));
        }
        id
    }

    fn answer(&mut self, to: NodeId, id: QuestionId, answer: Bytes) {
        if let Some((query, _)) = self.asked.remove(&(to, id)) {
            self.session.outbox.push(NodeOutput::Answer(query, answer));
        }
    }

    fn poll(&mut self) -> Option<CarrierEvent> {
        self.events.pop_front()
    }
}
