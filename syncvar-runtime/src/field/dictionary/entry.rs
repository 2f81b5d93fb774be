//! A value of a map for writing, and the entry of a present or absent key.

use std::fmt;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};

use super::SyncDictionary;
use crate::SyncValue;
use crate::field::record::Begun;

/// A value of a [`SyncDictionary`] for writing. Its drop compares it with the previous value; only a
/// difference is a change of the map.
///
/// ```
/// use syncvar::prelude::*;
///
/// let mut stock = SyncDictionary::<u32, u32>::default();
/// stock.insert(1, 10);
/// if let Some(mut count) = stock.get_mut(&1) {
///     *count += 5;
/// }
/// assert_eq!(stock.get(&1), Some(&15));
/// ```
pub struct ValueMut<'a, K: SyncValue + Hash + Eq, V: SyncValue> {
    map: &'a mut SyncDictionary<K, V>,
    index: usize,
    previous: V,
    begun: Begun,
}

impl<'a, K: SyncValue + Hash + Eq, V: SyncValue> ValueMut<'a, K, V> {
    /// Creates the guard; `None` if no key is at this position.
    pub(super) fn new(map: &'a mut SyncDictionary<K, V>, index: usize) -> Option<Self> {
        map.settle();
        let previous = map.items.get_index(index)?.1.clone();
        let begun = map.record.begin();
        Some(Self {
            map,
            index,
            previous,
            begun,
        })
    }

    /// Returns the key.
    pub fn key(&self) -> &K {
        held(self.map.items.get_index(self.index)).0
    }

    /// Returns the key, and the value for writing.
    pub(super) fn parts(&mut self) -> (&K, &mut V) {
        held(self.map.items.get_index_mut(self.index))
    }
}

/// Unwraps a key that must be present: the guard or entry borrows the map, so no key can be removed.
fn held<T>(found: Option<T>) -> T {
    found.expect("the key is in the map")
}

impl<K: SyncValue + Hash + Eq, V: SyncValue> Deref for ValueMut<'_, K, V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.map.items[self.index]
    }
}

impl<K: SyncValue + Hash + Eq, V: SyncValue> DerefMut for ValueMut<'_, K, V> {
    fn deref_mut(&mut self) -> &mut V {
        &mut self.map.items[self.index]
    }
}

impl<K: SyncValue + Hash + Eq, V: SyncValue> Drop for ValueMut<'_, K, V> {
    fn drop(&mut self) {
        self.map.record.end(self.begun);
        if !self.map.items[self.index].same(&self.previous) {
            self.map.note_changed(self.index);
        }
    }
}

impl<K, V> fmt::Debug for ValueMut<'_, K, V>
where
    K: SyncValue + Hash + Eq,
    V: SyncValue + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<K, V> fmt::Display for ValueMut<'_, K, V>
where
    K: SyncValue + Hash + Eq,
    V: SyncValue + fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Entry of a present or absent key of a [`SyncDictionary`]; returned by [`SyncDictionary::entry`].
///
/// ```
/// use syncvar::SyncDictionary;
///
/// let mut kills = SyncDictionary::new();
/// for name in ["ann", "bob", "ann"] {
///     *kills.entry(name.to_string()).or_insert(0) += 1;
/// }
/// assert_eq!((kills["ann"], kills["bob"]), (2, 1));
/// ```
#[derive(Debug)]
pub enum Entry<'a, K: SyncValue + Hash + Eq, V: SyncValue> {
    /// The key is present.
    Occupied(OccupiedEntry<'a, K, V>),
    /// The key is absent.
    Vacant(VacantEntry<'a, K, V>),
}

/// Entry of a present key.
pub struct OccupiedEntry<'a, K: SyncValue + Hash + Eq, V: SyncValue> {
    map: &'a mut SyncDictionary<K, V>,
    index: usize,
}

/// Entry of an absent key.
pub struct VacantEntry<'a, K: SyncValue + Hash + Eq, V: SyncValue> {
    map: &'a mut SyncDictionary<K, V>,
    key: K,
}

impl<'a, K: SyncValue + Hash + Eq, V: SyncValue> Entry<'a, K, V> {
    pub(super) fn new(map: &'a mut SyncDictionary<K, V>, key: K) -> Self {
        match map.items.get_index_of(&key) {
            Some(index) => Self::Occupied(OccupiedEntry { map, index }),
            None => Self::Vacant(VacantEntry { map, key }),
        }
    }

    /// Returns the key.
    pub fn key(&self) -> &K {
        match self {
            Self::Occupied(entry) => entry.key(),
            Self::Vacant(entry) => entry.key(),
        }
    }

    /// Inserts the value if the key is absent; returns the key's value for writing.
    pub fn or_insert(self, value: V) -> ValueMut<'a, K, V> {
        self.or_insert_with(|| value)
    }

    /// Inserts the result of a function if the key is absent; returns the key's value for writing.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> ValueMut<'a, K, V> {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(value()),
        }
    }

    /// Inserts the default value if the key is absent; returns the key's value for writing.
    pub fn or_default(self) -> ValueMut<'a, K, V>
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value of a present key.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "it is called for what it does"
    )]
    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(&mut entry.get_mut());
        }
        self
    }
}

impl<'a, K: SyncValue + Hash + Eq, V: SyncValue> OccupiedEntry<'a, K, V> {
    /// Returns the key.
    pub fn key(&self) -> &K {
        held(self.map.items.get_index(self.index)).0
    }

    /// Returns the value.
    pub fn get(&self) -> &V {
        &self.map.items[self.index]
    }

    /// Returns the value for writing.
    pub fn get_mut(&mut self) -> ValueMut<'_, K, V> {
        held(ValueMut::new(self.map, self.index))
    }

    /// Returns the value for writing, with the lifetime of the map's borrow.
    pub fn into_mut(self) -> ValueMut<'a, K, V> {
        held(ValueMut::new(self.map, self.index))
    }

    /// Sets the value of the key and returns the previous value.
    pub fn insert(&mut self, value: V) -> V {
        std::mem::replace(&mut self.get_mut(), value)
    }

    /// Removes the key and returns its value.
    pub fn remove(self) -> V {
        let key = self.key().clone();
        held(self.map.remove(&key))
    }
}

impl<'a, K: SyncValue + Hash + Eq, V: SyncValue> VacantEntry<'a, K, V> {
    /// Returns the key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Returns the key without inserting it.
    pub fn into_key(self) -> K {
        self.key
    }

    /// Inserts the key with a value and returns the value for writing.
    pub fn insert(self, value: V) -> ValueMut<'a, K, V> {
        self.map.insert(self.key, value);
        // A new entry is the last.
        let last = self.map.items.len() - 1;
        held(ValueMut::new(self.map, last))
    }
}

impl<K, V> fmt::Debug for OccupiedEntry<'_, K, V>
where
    K: SyncValue + Hash + Eq + fmt::Debug,
    V: SyncValue + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OccupiedEntry")
            .field("key", self.key())
            .field("value", self.get())
            .finish()
    }
}

impl<K, V> fmt::Debug for VacantEntry<'_, K, V>
where
    K: SyncValue + Hash + Eq + fmt::Debug,
    V: SyncValue,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(&self.key).finish()
    }
}
