//! `Relation`: pairs of ids, indexed from both sides.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Ids;
use crate::ids::Id;

/// A set of values for each key. Only the sets are iterable: their order is defined.
#[derive(Debug)]
pub struct Sets<K, V>(FxHashMap<K, Ids<V>>);

/// Pairs, indexed from both sides.
#[derive(Debug)]
pub struct Relation<L, R> {
    rights: Sets<L, R>,
    lefts: Sets<R, L>,
}

impl<K, V> Default for Sets<K, V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<L, R> Default for Relation<L, R> {
    fn default() -> Self {
        Self {
            rights: Sets::default(),
            lefts: Sets::default(),
        }
    }
}

impl<K: Copy + Eq + Hash, V: Id> Sets<K, V> {
    /// Adds a value. Returns whether it was new.
    pub fn insert(&mut self, key: K, value: V) -> bool {
        self.0.entry(key).or_default().insert(value)
    }

    /// Removes a value. Returns whether it existed.
    pub fn remove(&mut self, key: K, value: V) -> bool {
        let Some(set) = self.0.get_mut(&key) else {
            return false;
        };
        let removed = set.remove(value);
        if set.is_empty() {
            self.0.remove(&key);
        }
        removed
    }

    /// Removes the set of a key.
    pub fn take(&mut self, key: K) -> Ids<V> {
        self.0.remove(&key).unwrap_or_default()
    }

    /// Returns whether the set of a key contains a value.
    pub fn contains(&self, key: K, value: V) -> bool {
        self.0.get(&key).is_some_and(|set| set.contains(value))
    }

    /// Returns the values of a key, ascending.
    pub fn of(&self, key: K) -> impl Iterator<Item = V> {
        self.0.get(&key).into_iter().flat_map(Ids::iter)
    }

    /// Returns whether no key has values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of values of a key.
    pub fn count(&self, key: K) -> usize {
        self.0.get(&key).map_or(0, Ids::len)
    }
}

impl<L: Id + Eq + Hash, R: Id + Eq + Hash> Relation<L, R> {
    /// Adds a pair. Returns whether it was new.
    pub fn insert(&mut self, left: L, right: R) -> bool {
        self.lefts.insert(right, left);
        self.rights.insert(left, right)
    }

    /// Removes a pair. Returns whether it existed.
    pub fn remove(&mut self, left: L, right: R) -> bool {
        self.lefts.remove(right, left);
        self.rights.remove(left, right)
    }

    /// Removes all pairs of a left side.
    pub fn forget(&mut self, left: L) {
        for right in self.rights.take(left).iter() {
            self.lefts.remove(right, left);
        }
    }

    /// Returns whether the relation contains a pair.
    pub fn contains(&self, left: L, right: R) -> bool {
        self.rights.contains(left, right)
    }

    /// Returns the right sides of all left sides.
    pub fn rights(&self) -> &Sets<L, R> {
        &self.rights
    }

    /// Returns the left sides of all right sides.
    pub fn lefts(&self) -> &Sets<R, L> {
        &self.lefts
    }
}

#[cfg(test)]
mod tests {
    use super::Relation;

    #[test]
    fn pairs_are_found_from_both_sides_and_leave_no_state() {
        let mut relation = Relation::default();
        assert!(relation.insert(1_u32, 7_u64));
        assert!(!relation.insert(1_u32, 7_u64));
        assert!(relation.insert(2, 7));
        assert!(relation.insert(1, 8));
        assert_eq!(relation.lefts().of(7).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(relation.lefts().count(7), 2);
        assert!(relation.remove(2, 7));
        assert!(!relation.remove(2, 7));
        assert!(!relation.contains(2, 7));
        assert!(relation.contains(1, 8));
        relation.forget(1);
        assert!(relation.rights.0.is_empty() && relation.lefts.0.is_empty());
    }
}
