//! What has been sent and received, as plain numbers.

use syncvar_runtime::{BehaviourStats, Counter, Prefabs, RefusedCommands};

use crate::MessageType;

/// Plain counters, from the start on. On a server a message that several clients get is encoded
/// once: `encoded` counts it once, `sent` counts the packets of every client. Of the messages of many
/// objects, [`UpdateBatch`](MessageType::UpdateBatch) and [`SpawnBatch`](MessageType::SpawnBatch),
/// every object counts as a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Packets given to the transport, and their bytes.
    pub sent: Counter,
    /// Packets taken from the transport, and their bytes.
    pub received: Counter,
    /// Messages for objects that are not there: late ones, mostly. On a client those that are held
    /// until the object comes are not among them unless they are dropped in the end.
    pub unknown_objects: u64,
    /// Pings that a server has not answered, because the client asked too often.
    pub ignored_pings: u64,
    /// Writes to objects by connections that do not own them, by former owners mostly, and writes that
    /// could not be read or went beyond a limit. On a server.
    pub ignored_writes: u64,
    /// Commands of clients that the server has not run.
    pub refused_commands: RefusedCommands,
    /// What each behaviour of each prefab has cost to encode, in the order of registration. On a
    /// server: on a client all of them are 0.
    pub behaviours: Vec<BehaviourStats>,
    encoded: [Counter; MessageType::ALL.len()],
    decoded: [Counter; MessageType::ALL.len()],
}

impl Stats {
    pub(crate) fn for_prefabs(prefabs: &Prefabs) -> Self {
        let texts = prefabs.entries().iter().map(|entry| &entry.text);
        let behaviours = texts.flat_map(|prefab| {
            let behaviours = prefab.behaviours.iter();
            behaviours.map(|behaviour| BehaviourStats::new(&prefab.name, &behaviour.name))
        });
        Self {
            behaviours: behaviours.collect(),
            ..Self::default()
        }
    }

    /// Messages of a type that this side has encoded.
    pub fn encoded(&self, message_type: MessageType) -> Counter {
        self.encoded[message_type.index()]
    }

    /// Messages of a type that this side has decoded.
    pub fn decoded(&self, message_type: MessageType) -> Counter {
        self.decoded[message_type.index()]
    }

    pub(crate) fn count_encoded(&mut self, message_type: MessageType, bytes: usize) {
        self.encoded[message_type.index()].add(bytes);
    }

    pub(crate) fn count_all_encoded(&mut self, message_type: MessageType, counter: Counter) {
        self.encoded[message_type.index()].add_all(counter);
    }

    pub(crate) fn count_decoded(&mut self, message_type: MessageType, bytes: usize) {
        let decoded = &mut self.decoded[message_type.index()];
        decoded.add(bytes);
        if matches!(
            message_type,
            MessageType::UpdateBatch | MessageType::SpawnBatch
        ) {
            decoded.messages -= 1;
        }
    }

    /// One more object in a batch, whose bytes are counted with the message.
    pub(crate) fn count_entry(&mut self, message_type: MessageType) {
        self.decoded[message_type.index()].messages += 1;
    }
}
