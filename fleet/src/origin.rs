//! `Origin`: a server publishes its records.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::time::Duration;

use syncvar_net::NetworkServer;
use syncvar_runtime::ReceivedMessage;

use crate::spectator_message::Envelope;
use crate::{Carrier, CarrierEvent, NodeId, Question, QuestionId, Topic, WorldState};

/// Most messages of spectators that wait for the program.
const MAX_MESSAGES: usize = 4096;

/// Known numbers of a relay: its repeated messages are at most as old.
const KNOWN_NUMBERS: u64 = 1024;

/// Relays whose numbers are known. A relay has a new number at each start.
const MAX_RELAYS: usize = 1024;

/// Publishes the records of a server for relays.
///
/// The server is one connection richer: the observer of its recording. Its cost does not depend on the number of spectators
/// behind the relays.
///
/// ```
/// use std::time::Duration;
/// use syncvar::{ServerConfig, prelude::*};
/// use syncvar_fleet::memory::MemoryFleet;
/// use syncvar_fleet::{Origin, Role};
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let config = ServerConfig { incarnation: 7, ..ServerConfig::default() }; // rand::random()
/// let mut server = NetworkServer::with_config(Prefabs::new().register::<Door>("door"), config);
/// let fleet = MemoryFleet::new(1);
/// let mut carrier = fleet.node(Role::Origin, "");
/// let mut origin = Origin::begin(&mut server)?;
/// for tick in 1..=3 {
///     let now = Duration::from_millis(tick * 33);
///     server.update(now);
///     origin.pump(&mut server, &mut carrier, now);
/// }
/// # Ok::<(), syncvar_fleet::NoIncarnation>(())
/// ```
#[derive(Debug, Default)]
pub struct Origin {
    /// Number of the last published record.
    seq: u64,
    /// Questions for a keyframe, with the number of the last record before each.
    asked: Vec<(NodeId, QuestionId, u64)>,
    received: BTreeMap<NodeId, BTreeSet<u64>>,
    messages: VecDeque<SpectatorMessage>,
}

/// A message of a spectator behind a relay.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SpectatorMessage {
    /// The relay that the spectator has joined.
    pub relay: NodeId,
    /// Number of the connection of the spectator at this relay.
    pub spectator: u32,
    /// The message.
    pub message: ReceivedMessage,
}

/// A server without an incarnation: relays could not tell its records from those of its next start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoIncarnation;

impl fmt::Display for NoIncarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`ServerConfig::incarnation` is 0: a server with relays needs a random one at each start")
    }
}

impl std::error::Error for NoIncarnation {}

impl Origin {
    /// Begins to publish: starts the recording of the server, if none runs.
    ///
    /// # Errors
    ///
    /// For a server whose [`incarnation`](syncvar_net::ServerConfig::incarnation) is 0.
    pub fn begin(server: &mut NetworkServer) -> Result<Self, NoIncarnation> {
        if server.config().incarnation == 0 {
            return Err(NoIncarnation);
        }
        server.start_recording();
        Ok(Self::default())
    }

    /// Publishes the new records and answers the nodes. A program calls it after each update of the server. It never blocks.
    pub fn pump(&mut self, server: &mut NetworkServer, carrier: &mut impl Carrier, now: Duration) {
        carrier.update(now);
        while let Some(event) = carrier.poll() {
            if let CarrierEvent::Asked { from, id, question } = event {
                self.take_question(server, carrier, from, id, &question);
            }
        }
        self.publish(server, carrier);
    }

    /// Publishes the new records, and answers the questions for keyframes.
    pub(crate) fn publish(&mut self, server: &mut NetworkServer, carrier: &mut impl Carrier) {
        for record in server.records_after(self.seq) {
            self.seq = record.seq();
            if !record.is_keyframe() {
                carrier.publish(Topic::WORLD, record.to_bytes());
            }
        }
        self.answer_keyframes(server, carrier);
    }

    /// Returns the oldest message of a spectator that was not returned before. Relays forward the messages that their
    /// configuration names, each once.
    pub fn poll_message(&mut self) -> Option<SpectatorMessage> {
        self.messages.pop_front()
    }

    /// Takes a question of a node.
    pub(crate) fn take_question(
        &mut self,
        server: &mut NetworkServer,
        carrier: &mut impl Carrier,
        from: NodeId,
        id: QuestionId,
        question: &Question,
    ) {
        match question {
            Question::Keyframe(Topic::WORLD) => {
                let is_new = !self
                    .asked
                    .iter()
                    .any(|(node, it, _)| (*node, *it) == (from, id));
                if is_new {
                    server.request_keyframe();
                    self.asked.push((from, id, self.seq));
                }
            }
            Question::Keyframe(_) => {}
            Question::Call(bytes) => {
                if let Some(envelope) = Envelope::from_bytes(bytes) {
                    carrier.answer(from, id, bytes.slice(..0));
                    self.take_message(server, &envelope);
                }
            }
        }
    }

    /// Answers the questions whose keyframe has been written since.
    fn answer_keyframes(&mut self, server: &NetworkServer, carrier: &mut impl Carrier) {
        let Some(keyframe) = server.keyframe().filter(|_| !self.asked.is_empty()) else {
            return;
        };
        let mut answer = None;
        self.asked.retain(|(node, id, seq)| {
            let is_due = keyframe.seq() > *seq;
            if is_due {
                // Questions of a tick share the bytes.
                let state = || WorldState::of_server(server, keyframe.clone()).to_bytes();
                let bytes = answer.get_or_insert_with(state).clone();
                carrier.answer(*node, *id, bytes);
            }
            !is_due
        });
    }

    /// Keeps a message for the program, once.
    fn take_message(&mut self, server: &NetworkServer, envelope: &Envelope) {
        let numbers = self.received.entry(envelope.relay).or_default();
        let newest = numbers.last().copied().unwrap_or_default();
        let is_known = numbers.contains(&envelope.number)
            || envelope.number.saturating_add(KNOWN_NUMBERS) <= newest;
        if is_known || self.messages.len() >= MAX_MESSAGES {
            return;
        }
        numbers.insert(envelope.number);
        if numbers.len() as u64 > KNOWN_NUMBERS {
            numbers.pop_first();
        }
        if self.received.len() > MAX_RELAYS {
            self.received.pop_first();
        }
        if let Some(message) = envelope.read(server.prefabs()) {
            self.messages.push_back(SpectatorMessage {
                relay: envelope.relay,
                spectator: envelope.spectator,
                message,
            });
        }
    }
}
