//! `Ids`: a set of ids, in ascending order.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::collections::btree_set::Iter;
use std::fmt;
use std::marker::PhantomData;

use crate::ids::Id;

/// Set of ids, in ascending order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ids<K> {
    numbers: IdNumbers,
    types: PhantomData<K>,
}

impl<K> Default for Ids<K> {
    fn default() -> Self {
        Self {
            numbers: IdNumbers(BTreeSet::new()),
            types: PhantomData,
        }
    }
}

impl<K> fmt::Debug for Ids<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.numbers.iter()).finish()
    }
}

impl<K: Id> Ids<K> {
    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.numbers.0.is_empty()
    }

    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        self.numbers.0.len()
    }

    /// Returns whether the set contains an id.
    pub fn contains(&self, id: K) -> bool {
        self.numbers.contains(id.number())
    }

    /// Adds an id. Returns whether it was new.
    pub fn insert(&mut self, id: K) -> bool {
        self.numbers.insert(id.number())
    }

    /// Removes an id. Returns whether it existed.
    pub fn remove(&mut self, id: K) -> bool {
        self.numbers.remove(id.number())
    }

    /// Removes and returns the lowest id.
    pub fn pop_first(&mut self) -> Option<K> {
        self.numbers.pop_first().map(K::with_number)
    }

    /// Returns the ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = K> {
        self.numbers.iter().map(K::with_number)
    }
}

impl<K: Id> Extend<K> for Ids<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<K: Id> FromIterator<K> for Ids<K> {
    fn from_iter<I: IntoIterator<Item = K>>(ids: I) -> Self {
        let mut set = Self::default();
        set.extend(ids);
        set
    }
}

/// Set of numbers. No generic code, and no inlining into dependent crates: a derived trait would be
/// inlined.
struct IdNumbers(BTreeSet<u64>);

impl IdNumbers {
    fn contains(&self, number: u64) -> bool {
        self.0.contains(&number)
    }

    fn insert(&mut self, number: u64) -> bool {
        self.0.insert(number)
    }

    fn remove(&mut self, number: u64) -> bool {
        self.0.remove(&number)
    }

    fn pop_first(&mut self) -> Option<u64> {
        self.0.pop_first()
    }

    fn iter(&self) -> InOrder<'_> {
        InOrder(self.0.iter())
    }
}

impl Clone for IdNumbers {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Ord for IdNumbers {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for IdNumbers {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for IdNumbers {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for IdNumbers {}

/// Iterator over the numbers of a set, ascending.
struct InOrder<'a>(Iter<'a, u64>);

impl Iterator for InOrder<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0.next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;
    use crate::NetId;

    #[test]
    fn sets_are_ordered_and_compared_by_their_ids() {
        let mut ids: Ids<_> = [7, 3, u32::MAX, 3].map(NetId).into_iter().collect();
        assert_eq!(ids.len(), 3);
        assert!(!ids.insert(NetId(7)));
        let others = ids.clone();
        assert_eq!(ids.pop_first(), Some(NetId(3)));
        assert!(others < ids);
        assert!(ids.insert(NetId(3)));
        assert_eq!(ids, others);
        assert!(ids.remove(NetId(7)));
        assert!(!ids.contains(NetId(7)));
        assert_eq!(ids.iter().collect::<Vec<_>>(), [NetId(3), NetId(u32::MAX)]);
    }
}
