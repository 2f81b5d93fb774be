//! `Gone`: recently removed objects.

use std::collections::VecDeque;

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::ordered::IdMap;

/// Most removed objects to remember.
const MAX_GONE: usize = 4096;

/// Recently removed objects; the oldest are forgotten.
#[derive(Debug, Default)]
pub(super) struct Gone {
    positions: IdMap<NetId, u64>,
    /// Positions and objects, oldest first. Objects that have arrived again stay in it.
    order: VecDeque<(u64, NetId)>,
    next: u64,
}

impl Gone {
    /// Returns whether an object has recently been removed.
    pub(super) fn contains(&self, object: NetId) -> bool {
        self.positions.contains(object)
    }

    /// Forgets the removal of an object that has arrived again.
    #[inline]
    pub(super) fn remove(&mut self, object: NetId) {
        if !self.positions.is_empty() {
            self.positions.remove(object);
        }
    }

    /// Remembers the removal of an object.
    pub(super) fn insert(&mut self, object: NetId) {
        if self.order.len() >= MAX_GONE
            && let Some((position, oldest)) = self.order.pop_front()
            && self.positions.get(oldest) == Some(&position)
        {
            self.positions.remove(oldest);
        }
        self.positions.insert(object, self.next);
        self.order.push_back((self.next, object));
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Gone, MAX_GONE};
    use syncvar_runtime::NetId;

    #[test]
    fn memory_of_removed_objects_is_bounded() {
        let mut gone = Gone::default();
        for number in 1..=10 * MAX_GONE {
            gone.insert(NetId(u32::try_from(number).unwrap()));
            gone.insert(NetId(1));
        }
        assert_eq!(gone.order.len(), MAX_GONE);
        assert!(gone.positions.len() <= MAX_GONE);
        assert!(gone.positions.contains(NetId(1)), "removed again");
        assert!(!gone.positions.contains(NetId(2)));
    }
}
