//! The ids of spawned objects.

use std::ops::RangeInclusive;

use crate::NetId;

/// An id chosen by the game moves the order on if it is at most this far ahead. Game code that numbers
/// some objects in a range far away does not use up the ids in between.
const NEAR: u32 = 1 << 24;

/// Unused ids, ascending from 1; no id is given out twice.
#[derive(Clone, Debug)]
pub struct NetIds(RangeInclusive<u32>);

impl Default for NetIds {
    fn default() -> Self {
        Self(1..=u32::MAX)
    }
}

impl NetIds {
    /// Returns the ids from a number on.
    pub fn starting_at(next: u32) -> Self {
        Self(next.max(1)..=u32::MAX)
    }

    /// Returns the next number; `None` after 2^32 - 1 objects.
    pub fn peek(&self) -> Option<u32> {
        (!self.0.is_empty()).then(|| *self.0.start())
    }

    /// Returns the next unused id, or `None` after 2^32 - 1 objects.
    #[inline]
    pub fn next(&mut self, is_taken: impl Fn(NetId) -> bool) -> Option<NetId> {
        self.0.by_ref().map(NetId).find(|id| !is_taken(*id))
    }

    /// Moves the order behind an id that the game has chosen.
    #[inline]
    pub fn note_chosen(&mut self, NetId(number): NetId) {
        let is_near = self.0.contains(&number) && number - self.0.start() <= NEAR;
        if let Some(next) = number.checked_add(1).filter(|_| is_near) {
            self.0 = next..=u32::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NEAR, NetIds};
    use crate::NetId;

    #[test]
    fn a_near_chosen_id_moves_the_order_and_a_far_one_does_not() {
        let mut ids = NetIds::default();
        ids.note_chosen(NetId(5));
        assert_eq!(ids.next(|_| false), Some(NetId(6)));
        ids.note_chosen(NetId(7 + NEAR + 1));
        assert_eq!(ids.next(|id| id == NetId(7)), Some(NetId(8)));
        ids.note_chosen(NetId(u32::MAX));
        assert_eq!(ids.next(|_| false), Some(NetId(9)));
    }

    #[test]
    fn ids_run_out_once() {
        let mut ids = NetIds(u32::MAX..=u32::MAX);
        assert_eq!(ids.next(|_| false), Some(NetId(u32::MAX)));
        assert_eq!(ids.next(|_| false), None);
    }
}
