//! `IdPairs`: pairs of ids, in ascending order.

use std::collections::BTreeSet;
use std::collections::btree_set::Range;
use std::fmt;
use std::marker::PhantomData;

use crate::ids::Id;

/// Set of pairs of ids: for each left id its right ids, ascending.
pub struct IdPairs<L, R> {
    numbers: Numbers,
    types: PhantomData<(L, R)>,
}

impl<L, R> Default for IdPairs<L, R> {
    fn default() -> Self {
        Self {
            numbers: Numbers::default(),
            types: PhantomData,
        }
    }
}

impl<L, R> fmt::Debug for IdPairs<L, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.numbers.range(0, u64::MAX);
        f.debug_set().entries(pairs).finish()
    }
}

impl<L: Id, R: Id> IdPairs<L, R> {
    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.numbers.0.is_empty()
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.numbers.0.len()
    }

    /// Returns whether the set contains a pair.
    pub fn contains(&self, left: L, right: R) -> bool {
        self.numbers.contains(left.number(), right.number())
    }

    /// Adds a pair. Returns whether it was new.
    pub fn insert(&mut self, left: L, right: R) -> bool {
        self.numbers.insert(left.number(), right.number())
    }

    /// Removes a pair. Returns whether it existed.
    pub fn remove(&mut self, left: L, right: R) -> bool {
        self.numbers.remove(left.number(), right.number())
    }

    /// Removes all pairs with a right id. Visits all pairs.
    pub fn remove_right(&mut self, right: R) {
        self.numbers.remove_right(right.number());
    }

    /// Returns the right ids of a left id, ascending.
    pub fn of(&self, left: L) -> impl Iterator<Item = R> {
        let pairs = self.numbers.range(left.number(), left.number());
        pairs.map(|(_, right)| R::with_number(right))
    }

    /// Returns all pairs, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (L, R)> {
        let pairs = self.numbers.range(0, u64::MAX);
        pairs.map(|(left, right)| (L::with_number(left), R::with_number(right)))
    }
}

/// Pairs of numbers, the left one in the upper half. No generic code, and no inlining into dependent
/// crates.
#[derive(Default)]
struct Numbers(BTreeSet<u128>);

impl Numbers {
    fn contains(&self, left: u64, right: u64) -> bool {
        self.0.contains(&join(left, right))
    }

    fn insert(&mut self, left: u64, right: u64) -> bool {
        self.0.insert(join(left, right))
    }

    fn remove(&mut self, left: u64, right: u64) -> bool {
        self.0.remove(&join(left, right))
    }

    fn remove_right(&mut self, right: u64) {
        self.0.retain(|pair| split(*pair).1 != right);
    }

    /// Returns the pairs of the left numbers from `first` to `last`.
    fn range(&self, first: u64, last: u64) -> Split<'_> {
        Split(self.0.range(join(first, 0)..=join(last, u64::MAX)))
    }
}

fn join(left: u64, right: u64) -> u128 {
    u128::from(left) << 64 | u128::from(right)
}

#[expect(clippy::cast_possible_truncation, reason = "the halves of a pair")]
fn split(pair: u128) -> (u64, u64) {
    ((pair >> 64) as u64, pair as u64)
}

/// Iterator over pairs of numbers.
struct Split<'a>(Range<'a, u128>);

impl Iterator for Split<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        self.0.next().copied().map(split)
    }
}

impl DoubleEndedIterator for Split<'_> {
    fn next_back(&mut self) -> Option<(u64, u64)> {
        self.0.next_back().copied().map(split)
    }
}

#[cfg(test)]
mod tests {
    use super::IdPairs;
    use crate::{Area, ConnectionId};

    #[test]
    fn pairs_are_ordered_by_left_and_right() {
        let [low, high] = [ConnectionId(1), ConnectionId(u32::MAX)];
        let mut pairs = IdPairs::default();
        for area in [u64::MAX, 0, 1 << 40] {
            assert!(pairs.insert(high, Area(area)));
            assert!(pairs.insert(low, Area(area)));
            assert!(!pairs.insert(low, Area(area)));
        }
        let areas = [Area(0), Area(1 << 40), Area(u64::MAX)];
        assert_eq!(pairs.of(low).collect::<Vec<_>>(), areas);
        assert_eq!(pairs.of(high).collect::<Vec<_>>(), areas);
        assert_eq!(pairs.of(ConnectionId(2)).count(), 0);
        assert_eq!(pairs.iter().next_back(), Some((high, Area(u64::MAX))));
        pairs.remove_right(Area(0));
        assert!(pairs.remove(low, Area(1 << 40)));
        assert!(!pairs.remove(low, Area(1 << 40)));
        assert!(pairs.contains(low, Area(u64::MAX)));
        assert_eq!(pairs.len(), 3);
    }
}
