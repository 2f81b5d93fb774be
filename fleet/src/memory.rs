//! Carrier in memory, in virtual time, with faults.

mod faults;
mod network;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

pub use faults::{Faults, splice};
use network::{Network, Payload};

use crate::{Carrier, CarrierEvent, Node, NodeId, Question, QuestionId, Role, Topic};

/// A fleet of nodes in memory, in virtual time. Equal seeds give equal runs.
///
/// A node reaches the nodes to which it is [connected](Self::connect). Every sent payload takes the [`Faults`] of the fleet:
/// delay, loss, repetition, reordering, damage. [`cut`](Self::cut) parts two nodes, [`stall`](Self::stall) stops the process of a
/// node, [`crash`](Self::crash) ends it.
///
/// ```
/// use std::time::Duration;
/// use syncvar_fleet::memory::{Faults, MemoryFleet};
/// use syncvar_fleet::{Carrier, Role, Topic};
///
/// let fleet = MemoryFleet::new(7);
/// let mut origin = fleet.node(Role::Origin, "");
/// let mut relay = fleet.node(Role::Relay, "");
/// fleet.connect(relay.id(), origin.id());
/// relay.subscribe(origin.id(), Topic::WORLD);
/// fleet.set_faults(Faults { loss: 0.5, ..Faults::default() });
/// for _ in 0..1000 {
///     origin.publish(Topic::WORLD, "a record".into());
/// }
/// fleet.update(Duration::from_secs(1));
/// let arrived = std::iter::from_fn(|| relay.poll()).count();
/// assert!((400..600).contains(&arrived));
/// ```
#[derive(Clone, Debug)]
pub struct MemoryFleet {
    network: Arc<Mutex<Network>>,
}

impl MemoryFleet {
    /// Creates a fleet without nodes and faults.
    pub fn new(seed: u64) -> Self {
        Self {
            network: Arc::new(Mutex::new(Network::new(seed))),
        }
    }

    /// Adds a node.
    pub fn node(&self, role: Role, address: &str) -> MemoryCarrier {
        let id = self.network().add(role, address);
        MemoryCarrier {
            id,
            network: Arc::clone(&self.network),
        }
    }

    /// Connects a node with a node that it may follow, behind its earlier [sources](Carrier::sources).
    pub fn connect(&self, node: NodeId, source: NodeId) {
        self.network().connect(node, source);
    }

    /// Sets the faults of later payloads.
    pub fn set_faults(&self, faults: Faults) {
        self.network().faults = faults;
    }

    /// Parts two nodes, or joins them again. Payloads on their way between them are lost.
    pub fn cut(&self, one: NodeId, other: NodeId, is_cut: bool) {
        self.network().cut(one, other, is_cut);
    }

    /// Stops the process of a node, or continues it. Meanwhile its carrier is silent; all payloads for it arrive afterwards.
    pub fn stall(&self, node: NodeId, is_stalled: bool) {
        self.network().stall(node, is_stalled);
    }

    /// Ends a node. Its payloads and the payloads for it are lost. Its neighbours learn of the end at once.
    pub fn crash(&self, node: NodeId) {
        self.network().crash(node);
    }

    /// Moves the time of the fleet on. Times before the present time are ignored.
    pub fn update(&self, now: Duration) {
        self.network().update(now);
    }

    fn network(&self) -> MutexGuard<'_, Network> {
        lock(&self.network)
    }
}

/// Carrier of a node of a [`MemoryFleet`].
#[derive(Debug)]
pub struct MemoryCarrier {
    id: NodeId,
    network: Arc<Mutex<Network>>,
}

impl Carrier for MemoryCarrier {
    fn id(&self) -> NodeId {
        self.id
    }

    /// Does nothing: [`MemoryFleet::update`] moves the time.
    fn update(&mut self, _now: Duration) {}

    fn nodes(&self) -> Vec<Node> {
        lock(&self.network).living(self.id)
    }

    fn sources(&self) -> Vec<NodeId> {
        lock(&self.network).sources(self.id)
    }

    fn subscribe(&mut self, publisher: NodeId, topic: Topic) {
        lock(&self.network).subscribe(self.id, publisher, topic, true);
    }

    fn unsubscribe(&mut self, publisher: NodeId, topic: Topic) {
        lock(&self.network).subscribe(self.id, publisher, topic, false);
    }

    fn publish(&mut self, topic: Topic, record: Bytes) {
        lock(&self.network).publish(self.id, topic, &record);
    }

    fn ask(&mut self, to: NodeId, question: Question) -> QuestionId {
        lock(&self.network).ask(self.id, to, question)
    }

    fn answer(&mut self, to: NodeId, id: QuestionId, answer: Bytes) {
        lock(&self.network).send(self.id, to, &Payload::Answer(id, answer));
    }

    fn poll(&mut self) -> Option<CarrierEvent> {
        lock(&self.network).poll(self.id)
    }
}

/// Locks the network. A panic of a test elsewhere leaves it usable.
fn lock(network: &Mutex<Network>) -> MutexGuard<'_, Network> {
    network.lock().unwrap_or_else(PoisonError::into_inner)
}
