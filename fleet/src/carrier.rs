//! `Carrier`: the interface between the nodes of a fleet and the network between them.

mod questions;

pub use questions::OpenQuestions;

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

/// Number of a node: random, anew at each start of its process, such as `rand::random()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u64);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {:016x}", self.0)
    }
}

/// Number of a sequence of records of a publisher.
///
/// An origin and its relays publish [`WORLD`](Self::WORLD). Zones publish the objects near their borders. All higher numbers belong to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(pub u64);

impl Topic {
    /// Records of every object without a hiding rule.
    pub const WORLD: Self = Self(0);

    /// Records of a zone for gateways: every object, with the fields of owners and groups.
    pub const GATEWAY: Self = Self(257);
}

/// Duty of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The server with the objects.
    Origin,
    /// A node that repeats records for its spectators.
    Relay,
    /// A server with a part of the objects.
    Zone,
    /// A node between players and zones.
    Gateway,
}

/// A node that a carrier knows to be alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Number of the node.
    pub id: NodeId,
    /// Duty of the node.
    pub role: Role,
    /// Address for the clients of the node, by a convention of the program; empty without one.
    pub address: String,
}

/// Question to a node, which has one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Request for the present keyframe of a topic. The answer is a [`WorldState`](crate::WorldState).
    Keyframe(Topic),
    /// Call of the program of the node, with the bytes of the call.
    Call(Bytes),
}

/// Number of a question, unique among the questions between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub u64);

/// Input of a node from its carrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CarrierEvent {
    /// A record of a subscribed topic. Its bytes are not checked.
    Record {
        /// The publisher.
        publisher: NodeId,
        /// Topic of the record.
        topic: Topic,
        /// Bytes of a [`TickRecord`](syncvar_net::TickRecord).
        bytes: Bytes,
    },
    /// A question of a node, which awaits one [answer](Carrier::answer). It may arrive twice.
    Asked {
        /// The asking node.
        from: NodeId,
        /// Number of the question.
        id: QuestionId,
        /// The question.
        question: Question,
    },
    /// The end of an own question.
    Answered {
        /// Number of the question.
        id: QuestionId,
        /// Bytes of the answer, which are not checked; `None` if none has arrived in time.
        answer: Option<Bytes>,
    },
    /// A node is reachable.
    Joined(NodeId),
    /// A node has ended, or nothing has arrived from it for a while.
    Left(NodeId),
}

/// Network between the nodes of a fleet, as one node sees it.
///
/// A carrier moves bytes, finds nodes and tells which nodes are alive. It may lose, repeat, reorder and damage bytes:
/// records have a checksum and a number, and the bytes of questions and answers need a checksum of their own. No call blocks. A
/// carrier whose queue to a node is full drops the oldest records for this node.
///
/// Three carriers exist: [`MemoryCarrier`](crate::memory::MemoryCarrier) for tests, in virtual time with faults;
/// [`LinkCarrier`](crate::link::LinkCarrier) over the transports of `syncvar`; `syncvar-zenoh`, a crate of its own.
///
/// ```
/// use std::time::Duration;
/// use syncvar_fleet::memory::MemoryFleet;
/// use syncvar_fleet::{Carrier, CarrierEvent, Question, Role, Topic};
///
/// let fleet = MemoryFleet::new(1);
/// let mut origin = fleet.node(Role::Origin, "");
/// let mut relay = fleet.node(Role::Relay, "10.0.0.7:7777");
/// fleet.connect(relay.id(), origin.id());
/// relay.subscribe(origin.id(), Topic::WORLD);
/// origin.publish(Topic::WORLD, "a record".into());
/// let id = relay.ask(origin.id(), Question::Call("ping".into()));
///
/// fleet.update(Duration::from_millis(10));
/// while let Some(event) = origin.poll() {
///     if let CarrierEvent::Asked { from, id, .. } = event {
///         origin.answer(from, id, "pong".into());
///     }
/// }
/// fleet.update(Duration::from_millis(20));
/// let events: Vec<_> = std::iter::from_fn(|| relay.poll()).collect();
/// assert!(matches!(&events[1], CarrierEvent::Record { bytes, .. } if bytes == "a record"));
/// assert_eq!(events[2], CarrierEvent::Answered { id, answer: Some("pong".into()) });
/// ```
pub trait Carrier {
    /// Returns the number of this node.
    fn id(&self) -> NodeId;

    /// Moves the time on: questions without an answer and silent nodes end. `now` is the time since any fixed moment.
    fn update(&mut self, now: Duration);

    /// Returns the living nodes apart from this node, by ascending number.
    fn nodes(&self) -> Vec<Node>;

    /// Returns those of the living nodes that this node may follow, the preferred first. The configuration of the carrier
    /// decides about them, so that nodes follow in no circle.
    fn sources(&self) -> Vec<NodeId>;

    /// Begins to receive the records of a topic from a publisher.
    fn subscribe(&mut self, publisher: NodeId, topic: Topic);

    /// Ends a subscription. Records on their way may still arrive.
    fn unsubscribe(&mut self, publisher: NodeId, topic: Topic);

    /// Sends a record to all subscribers of a topic.
    fn publish(&mut self, topic: Topic, record: Bytes);

    /// Asks a node. One [`CarrierEvent::Answered`] with the returned number follows in any case.
    fn ask(&mut self, to: NodeId, question: Question) -> QuestionId;

    /// Answers a question of [`CarrierEvent::Asked`].
    fn answer(&mut self, to: NodeId, id: QuestionId, answer: Bytes);

    /// Returns the next event, oldest first.
    fn poll(&mut self) -> Option<CarrierEvent>;
}
