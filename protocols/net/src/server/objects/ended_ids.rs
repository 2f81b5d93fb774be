//! `EndedIds`: ids that must not name a new object yet.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;

/// Tick of an end whose packet has none yet.
const UNSENT: u32 = u32::MAX;

/// Ids of objects that are gone or hidden, with the ticks of their ends.
///
/// A datagram may overtake the end of an object and the spawn of a new object with its id. So an id is
/// given again only when every connection has handled the end.
#[derive(Debug, Default)]
pub(crate) struct EndedIds {
    ends: FxHashMap<NetId, u32>,
    /// Whether a connection has datagrams: without them no end is overtaken.
    pub(crate) has_datagrams: bool,
    /// Ticks for which an id is not given again in any case, because the clients of servers that follow this one may still have the
    /// object; 0 without a recording.
    pub(crate) kept_ticks: u32,
}

impl EndedIds {
    /// Adds an object that ends in the stream packets of this tick or of the next update, whatever its tick.
    pub(crate) fn add(&mut self, id: NetId) {
        if self.has_datagrams || self.kept_ticks > 0 {
            self.ends.insert(id, UNSENT);
        }
    }

    /// Begins a tick: the ends that were added since the tick before have left with it at the latest.
    pub(crate) fn begin_tick(&mut self, tick: u32) {
        let unsent = self.ends.values_mut().filter(|end| **end == UNSENT);
        unsent.for_each(|end| *end = tick);
    }

    /// Returns whether a connection may still have an object with this id.
    pub(crate) fn contain(&self, id: NetId) -> bool {
        self.ends.contains_key(&id)
    }

    /// Postpones all ends: their packets have not left.
    pub(crate) fn postpone(&mut self, tick: u32) {
        self.ends.values_mut().for_each(|end| *end = tick);
    }

    /// Removes the ids that ended before a tick: all connections have handled the packets until then. `tick` is the present
    /// tick.
    pub(crate) fn trim(&mut self, oldest: u32, tick: u32) {
        let oldest = oldest.min(tick.saturating_sub(self.kept_ticks));
        if !self.ends.is_empty() {
            self.ends.retain(|_, end| *end >= oldest);
        }
    }
}
