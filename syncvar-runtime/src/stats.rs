//! What has been sent and received, as plain numbers.

use crate::{CommandRefusal, MessageType, Prefabs};

/// A number of messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// How many.
    pub messages: u64,
    /// Their bytes, headers included.
    pub bytes: u64,
}

/// What one behaviour of one prefab has cost a server to encode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BehaviourStats {
    /// The prefab.
    pub prefab: String,
    /// The behaviour.
    pub behaviour: String,
    /// Full states: how many, and their bytes.
    pub full: Counter,
    /// Changes, a clean behaviour's empty mask included: how many, and their bytes.
    pub delta: Counter,
}

/// Commands of clients that a server has not run, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedCommands {
    /// There was no such object, or the connection did not see it.
    pub unknown_object: u64,
    /// The object had no such command.
    pub unknown_call: u64,
    /// Only the owner may call it.
    pub not_owner: u64,
    /// It came more often than the rate allows.
    pub too_often: u64,
    /// Its arguments could not be read.
    pub malformed: u64,
}

impl RefusedCommands {
    /// How many there were in all.
    pub fn total(&self) -> u64 {
        self.unknown_object + self.unknown_call + self.not_owner + self.too_often + self.malformed
    }

    pub(crate) fn count(&mut self, reason: &CommandRefusal) {
        *match reason {
            CommandRefusal::UnknownObject => &mut self.unknown_object,
            CommandRefusal::UnknownCall => &mut self.unknown_call,
            CommandRefusal::NotOwner => &mut self.not_owner,
            CommandRefusal::TooOften => &mut self.too_often,
            CommandRefusal::Malformed(_) => &mut self.malformed,
        } += 1;
    }
}

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
            prefab.behaviours.iter().map(|behaviour| BehaviourStats {
                prefab: prefab.name.clone(),
                behaviour: behaviour.name.clone(),
                full: Counter::default(),
                delta: Counter::default(),
            })
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

impl Counter {
    #[inline]
    pub(crate) fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
    }

    pub(crate) fn add_all(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}
