//! `IdMap`: values by id, in ascending order.

use std::collections::BTreeMap;
use std::collections::btree_map::Values;
use std::fmt;

use crate::ids::Id;

/// Values by id. The order of iteration is that of the ids. Each operation costs a search in a
/// tree; an iteration costs time in proportion to the number of values.
pub struct IdMap<K, V> {
    positions: Positions,
    /// Ids and values, unordered.
    entries: Vec<(K, V)>,
}

impl<K, V> Default for IdMap<K, V> {
    fn default() -> Self {
        Self {
            positions: Positions::default(),
            entries: Vec::new(),
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for IdMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.positions.iter().map(|at| &self.entries[at]);
        f.debug_map()
            .entries(entries.map(|(key, value)| (key, value)))
            .finish()
    }
}

impl<K: Id, V> IdMap<K, V> {
    /// Returns whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether an id has a value.
    pub fn contains(&self, key: K) -> bool {
        self.position(key).is_some()
    }

    /// Returns the value of an id.
    pub fn get(&self, key: K) -> Option<&V> {
        let position = self.position(key)?;
        Some(&self.entries.get(position)?.1)
    }

    /// Returns the value of an id for writing.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let position = self.position(key)?;
        Some(&mut self.entries.get_mut(position)?.1)
    }

    /// Returns the value of an id for writing. An id without a value gets this one.
    pub fn get_or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let position = self.position(key);
        let position = position.unwrap_or_else(|| self.push(key, value()));
        &mut self.entries[position].1
    }

    /// Inserts a value and returns the previous one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(current) = self.get_mut(key) {
            return Some(std::mem::replace(current, value));
        }
        self.push(key, value);
        None
    }

    /// Adds an id without a value, and returns the position of its entry.
    fn push(&mut self, key: K, value: V) -> usize {
        let position = self.entries.len();
        self.positions.insert(key.number(), position);
        self.entries.push((key, value));
        position
    }

    /// Removes and returns the value of an id.
    pub fn remove(&mut self, key: K) -> Option<V> {
        if self.is_empty() {
            return None;
        }
        let position = self.positions.remove(key.number())?;
        let (_, value) = self.entries.swap_remove(position);
        if let Some((moved, _)) = self.entries.get(position) {
            self.positions.insert(moved.number(), position);
        }
        Some(value)
    }

    /// Returns the lowest id.
    pub fn first(&self) -> Option<K> {
        self.keys().next()
    }

    /// Removes and returns the lowest id and its value.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        let first = self.first()?;
        Some((first, self.remove(first)?))
    }

    /// Returns the ids, ascending.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.iter().map(|(key, _)| key)
    }

    /// Returns ids and values by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.positions.iter().map(|at| {
            let (key, value) = &self.entries[at];
            (*key, value)
        })
    }

    /// Returns ids and mutable values by ascending id. Allocates memory for the order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        let mut entries: Vec<_> = self.entries.iter_mut().map(Some).collect();
        let ordered = self
            .positions
            .iter()
            .filter_map(move |at| entries.get_mut(at)?.take());
        ordered.map(|(key, value)| (*key, value))
    }

    /// Returns the position of an id. An empty map costs no call.
    #[inline]
    fn position(&self, key: K) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        self.positions.get(key.number())
    }
}

/// Positions of entries by number. No generic code, and no inlining into dependent crates.
#[derive(Default)]
struct Positions(BTreeMap<u64, usize>);

impl Positions {
    fn get(&self, number: u64) -> Option<usize> {
        self.0.get(&number).copied()
    }

    fn insert(&mut self, number: u64, position: usize) {
        self.0.insert(number, position);
    }

    fn remove(&mut self, number: u64) -> Option<usize> {
        self.0.remove(&number)
    }

    fn iter(&self) -> InOrder<'_> {
        InOrder(self.0.values())
    }
}

/// Iterator over the positions, by ascending number.
struct InOrder<'a>(Values<'a, u64, usize>);

impl Iterator for InOrder<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.0.next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::IdMap;
    use crate::NetId;

    #[test]
    fn values_stay_with_their_ids_and_in_order() {
        let mut map = IdMap::default();
        for number in [5, 1, 9, 3] {
            assert_eq!(map.insert(NetId(number), number), None);
        }
        assert_eq!(map.insert(NetId(9), 90), Some(9));
        assert_eq!(map.remove(NetId(1)), Some(1));
        assert_eq!(map.remove(NetId(1)), None);
        *map.get_or_insert_with(NetId(7), || 6) += 1;
        *map.get_or_insert_with(NetId(7), || 0) += 1;
        for (_, value) in map.iter_mut() {
            *value += 1;
        }
        let values: Vec<_> = map.iter().map(|(id, value)| (id.0, *value)).collect();
        assert_eq!(values, [(3, 4), (5, 6), (7, 9), (9, 91)]);
        assert_eq!(map.pop_first(), Some((NetId(3), 4)));
        assert_eq!(map.get(NetId(9)), Some(&91));
        assert!(!map.contains(NetId(3)));
        assert_eq!(map.len(), 3);
    }
}
