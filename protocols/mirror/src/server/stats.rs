//! Counters of the server.

use syncvar_runtime::unstable::object::Profile;
use syncvar_runtime::{BehaviourStats, Counter, RefusedCommands, RefusedInput};

use crate::MirrorPrefabs;

/// Counters of a [`MirrorServer`](crate::MirrorServer).
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::{MirrorPrefabs, MirrorServer};
///
/// let mut server = MirrorServer::new(MirrorPrefabs::new());
/// server.update(Duration::from_millis(16));
/// assert_eq!(server.stats().updates, 1);
/// assert_eq!(server.stats().sent.bytes, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorServerStats {
    /// Updates.
    pub updates: u64,
    /// Deltas of objects, each counted once for all its receivers.
    pub states: Counter,
    /// Spawns and further protocol messages to a connection.
    pub messages: Counter,
    /// Calls to clients, once per receiver.
    pub calls: Counter,
    /// Commands run.
    pub commands: u64,
    /// Commands refused.
    pub refused_commands: RefusedCommands,
    /// Messages refused and connections closed, by limit.
    pub refused: RefusedInput,
    /// Writes of clients refused.
    pub refused_states: u64,
    /// Unreliable writes of clients that came after newer writes.
    pub outdated_states: u64,
    /// Transport messages polled.
    pub sent: Counter,
    /// Transport messages received.
    pub received: Counter,
    /// Encoding cost of each component of each prefab, in order of registration. A component is encoded
    /// once for all its receivers.
    pub behaviours: Vec<BehaviourStats>,
    /// Costs of objects and fields, with
    /// [`MirrorServerConfig::profile`](crate::MirrorServerConfig::profile).
    pub profile: Option<Box<Profile>>,
}

impl MirrorServerStats {
    pub(super) fn for_prefabs(prefabs: &MirrorPrefabs, profile: bool) -> Self {
        let entries = prefabs.entries().iter();
        let behaviours = entries.flat_map(|entry| {
            let names = entry.behaviours.iter();
            names.map(|name| BehaviourStats::new(&*entry.name, *name))
        });
        Self {
            behaviours: behaviours.collect(),
            profile: profile.then(Box::default),
            ..Self::default()
        }
    }
}

/// Counts one message of this length.
pub(super) fn count(counter: &mut Counter, bytes: usize) {
    counter.messages += 1;
    counter.bytes += bytes as u64;
}

/// Adds one.
pub(super) fn one_more(counter: &mut u64) {
    *counter += 1;
}
