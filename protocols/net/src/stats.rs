//! Statistics: counters of sent and received messages.

mod text;

use syncvar_runtime::unstable::object::Profile;
use syncvar_runtime::{BehaviourStats, Counter, Prefabs, RefusedCommands, RefusedInput};

use crate::MessageType;

/// Counters of a server or client since its creation.
///
/// A server encodes a message for several clients once: `encoded` counts it once, `sent` counts the
/// packets of every client. In [`UpdateBatch`](MessageType::UpdateBatch) and
/// [`SpawnBatch`](MessageType::SpawnBatch) every object counts as a message.
///
/// ```
/// use syncvar::stats::MessageType;
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// net.settle();
/// for _ in 0..3 {
///     net.server.spawn(Door::default());
/// }
/// net.settle();
/// let stats = net.client(0).stats();
/// assert_eq!(stats.decoded(MessageType::SpawnBatch).messages, 3);
/// assert_eq!(stats.received, net.server.stats().sent);
/// println!("{stats}"); // a table
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Packets passed to the transport.
    pub sent: Counter,
    /// Packets received from the transport.
    pub received: Counter,
    /// Sent messages of the program. One for several connections counts for each.
    pub program_sent: Counter,
    /// Received messages of the program.
    pub program_received: Counter,
    /// Messages for unknown objects, usually sent before a despawn arrived. On a client, an early
    /// message counts only if it is dropped.
    pub unknown_objects: u64,
    /// Pings that a server has not answered, because they came too often.
    pub ignored_pings: u64,
    /// Writes that a server has ignored: from connections without ownership (usually previous owners),
    /// unreadable or beyond a limit.
    pub ignored_writes: u64,
    /// Messages refused and connections closed, by limit.
    pub refused: RefusedInput,
    /// Commands that the server has refused.
    pub refused_commands: RefusedCommands,
    /// Encoding cost of each behaviour of each prefab, in order of registration. On a client all
    /// counters are 0.
    pub behaviours: Vec<BehaviourStats>,
    /// Costs of objects and fields, on a server with [`ServerConfig::profile`](crate::ServerConfig::profile).
    pub profile: Option<Box<Profile>>,
    encoded: TypeCounters,
    decoded: TypeCounters,
}

/// Counters of the message types, in the order of [`MessageType::ALL`].
#[derive(Clone, PartialEq, Eq)]
struct TypeCounters([Counter; MessageType::ALL.len()]);

impl Default for TypeCounters {
    fn default() -> Self {
        Self([Counter::default(); MessageType::ALL.len()])
    }
}

impl Stats {
    pub(crate) fn for_prefabs(prefabs: &Prefabs, profile: bool) -> Self {
        let behaviours = prefabs.entries().iter().flat_map(|prefab| {
            let infos = prefab.infos.iter();
            infos.map(|info| BehaviourStats::new(&prefab.name, info.schema.name))
        });
        Self {
            behaviours: behaviours.collect(),
            profile: profile.then(Box::default),
            ..Self::default()
        }
    }

    /// Returns the counter of encoded messages of a type.
    pub fn encoded(&self, message_type: MessageType) -> Counter {
        self.encoded.0[message_type.index()]
    }

    /// Returns the counter of decoded messages of a type.
    pub fn decoded(&self, message_type: MessageType) -> Counter {
        self.decoded.0[message_type.index()]
    }

    pub(crate) fn count_encoded(&mut self, message_type: MessageType, bytes: usize) {
        self.encoded.0[message_type.index()].add(bytes);
    }

    pub(crate) fn count_all_encoded(&mut self, message_type: MessageType, counter: Counter) {
        self.encoded.0[message_type.index()].add_all(counter);
    }

    pub(crate) fn count_decoded(&mut self, message_type: MessageType, bytes: usize) {
        let decoded = &mut self.decoded.0[message_type.index()];
        decoded.add(bytes);
        if matches!(
            message_type,
            MessageType::UpdateBatch | MessageType::SpawnBatch
        ) {
            decoded.messages -= 1;
        }
    }

    /// Returns the messages that updates write.
    pub(crate) fn written(&self) -> WrittenMessages {
        let of = |types: &[MessageType]| {
            let mut sum = Counter::default();
            for kind in types {
                sum.add_all(self.encoded(*kind));
            }
            sum
        };
        WrittenMessages {
            deltas: of(&[MessageType::UpdateVars, MessageType::UpdateBatch]),
            snapshots: of(&[
                MessageType::ObjectSpawn,
                MessageType::ObjectSpawnScene,
                MessageType::SpawnBatch,
            ]),
        }
    }

    /// Counts an object of a batch. Its bytes are counted with the message.
    pub(crate) fn count_entry(&mut self, message_type: MessageType) {
        self.decoded.0[message_type.index()].messages += 1;
    }
}

/// Messages that updates write.
pub(crate) struct WrittenMessages {
    deltas: Counter,
    snapshots: Counter,
}

impl WrittenMessages {
    /// Logs the messages since an earlier moment.
    pub(crate) fn trace_since(&self, former: &Self) {
        let [deltas, snapshots] = [
            (self.deltas, former.deltas),
            (self.snapshots, former.snapshots),
        ]
        .map(|(now, former)| Counter {
            messages: now.messages - former.messages,
            bytes: now.bytes - former.bytes,
        });
        if deltas.messages + snapshots.messages > 0 {
            tracing::trace!(
                deltas = deltas.messages,
                delta_bytes = deltas.bytes,
                snapshots = snapshots.messages,
                snapshot_bytes = snapshots.bytes,
                "wrote an update"
            );
        }
    }
}
