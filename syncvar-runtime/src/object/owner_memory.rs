//! `OwnerMemory`: memory that a connection has made its objects keep.

use crate::NetId;
use crate::ordered::IdMap;

/// Memory that the writes of a connection have added to its objects.
///
/// ```
/// use syncvar_runtime::NetId;
/// use syncvar_runtime::unstable::object::OwnerMemory;
///
/// let mut memory = OwnerMemory::default();
/// memory.record(NetId(1), 200, 300); // the program's own 200 bytes do not count
/// memory.record(NetId(2), 0, 50);
/// assert_eq!(memory.total(), 150);
/// assert_eq!(memory.with(NetId(1), 0, 700), 550);
/// memory.remove(NetId(1));
/// assert_eq!(memory.total(), 50);
/// ```
#[derive(Debug, Default)]
pub struct OwnerMemory {
    objects: IdMap<NetId, Kept>,
    total: usize,
}

/// Memory of an object.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    /// Memory before the first write.
    base: usize,
    /// Memory added since.
    added: usize,
}

impl OwnerMemory {
    /// Returns the memory of every object.
    pub const fn total(&self) -> usize {
        self.total
    }

    /// Returns the memory added to one object.
    pub fn of(&self, object: NetId) -> usize {
        self.objects.get(object).map_or(0, |kept| kept.added)
    }

    /// Returns the memory of every object if a write takes one from `before` to `now`.
    pub fn with(&self, object: NetId, before: usize, now: usize) -> usize {
        let former = self.objects.get(object).copied();
        let kept = former.unwrap_or(Kept {
            base: before,
            added: 0,
        });
        let others = self.total.saturating_sub(kept.added);
        others.saturating_add(now.saturating_sub(kept.base))
    }

    /// Records a write that has taken an object from `before` to `now`.
    pub fn record(&mut self, object: NetId, before: usize, now: usize) {
        let new = || Kept {
            base: before,
            added: 0,
        };
        let kept = self.objects.get_or_insert_with(object, new);
        let added = now.saturating_sub(kept.base);
        self.total = { self.total }
            .saturating_sub(kept.added)
            .saturating_add(added);
        kept.added = added;
    }

    /// Removes an object that the connection no longer owns.
    pub fn remove(&mut self, object: NetId) {
        if let Some(kept) = self.objects.remove(object) {
            self.total = self.total.saturating_sub(kept.added);
        }
    }
}
