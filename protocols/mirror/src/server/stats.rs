//! Plain counters.

use syncvar_runtime::Counter;

/// What a [`MirrorServer`](crate::MirrorServer) has encoded, sent and received, as plain numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorServerStats {
    /// How many updates there were.
    pub updates: u64,
    /// Changes of objects, each counted once however many are sent it.
    pub states: Counter,
    /// Spawns and other messages of the server's own to one connection.
    pub messages: Counter,
    /// Calls of clients, once for each that is called.
    pub calls: Counter,
    /// Commands of clients that were run.
    pub commands: u64,
    /// Commands of clients that were not.
    pub refused_commands: u64,
    /// What clients have written to objects and were not let.
    pub refused_states: u64,
    /// What clients have sent unreliably, and something newer had come before.
    pub outdated_states: u64,
    /// Transport messages that were polled.
    pub sent: Counter,
    /// Transport messages that have come.
    pub received: Counter,
}

/// Counts one more, of so many bytes.
pub(super) fn count(counter: &mut Counter, bytes: usize) {
    counter.messages += 1;
    counter.bytes += bytes as u64;
}

/// Counts one more.
pub(super) fn one_more(counter: &mut u64) {
    *counter += 1;
}
