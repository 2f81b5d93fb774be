//! `Shows`: ticks since which a connection has objects with a history.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;

/// Fewest shows of a connection that are trimmed.
const TRIMMED: usize = 64;

/// Ticks of the snapshots that a connection has received lately, of objects with a history: its client has no earlier values.
#[derive(Debug, Default)]
pub(crate) struct Shows {
    /// Tick of the burst with all visible objects.
    joined: u32,
    ticks: FxHashMap<NetId, u32>,
    /// Number of the shows that were left by the last trim.
    kept: usize,
}

impl Shows {
    /// Begins with a burst.
    pub(crate) fn join(&mut self, tick: u32) {
        self.ticks.clear();
        self.joined = tick;
    }

    /// Notes a show, and forgets at times those that no view can reach.
    pub(crate) fn add(&mut self, id: NetId, tick: u32, oldest: u32) {
        if self.ticks.len() >= self.kept.max(TRIMMED) * 2 {
            self.ticks.retain(|_, shown| *shown > oldest);
            self.kept = self.ticks.len();
        }
        self.ticks.insert(id, tick);
    }

    /// Returns the tick since which the client has values of an object.
    pub(crate) fn since(&self, id: NetId) -> u32 {
        self.ticks
            .get(&id)
            .copied()
            .unwrap_or_default()
            .max(self.joined)
    }
}
