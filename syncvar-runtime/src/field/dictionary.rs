//! [`SyncDictionary`], a map that sends its changes alone, and its iterators.

mod change;
mod edit;
mod entry;
mod field;
mod mirror;
mod note;

pub use change::DictionaryChange;
pub use entry::{Entry, OccupiedEntry, VacantEntry, ValueMut};

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::ops::Index;

use indexmap::IndexMap;

use super::iterators::wrapped_iterator;
use super::keys::Keys;
use super::record::Record;
use mirror::DictionaryOperation;

/// A synchronised map from keys to values. Use it as a `HashMap`: every change is recorded, and
/// only changes are sent, independent of the size of the map.
///
/// ```
/// use syncvar::SyncDictionary;
///
/// let mut ammo = SyncDictionary::from([("bow".to_string(), 12), ("gun".into(), 3)]);
/// ammo.insert("axe".into(), 1);
/// *ammo.get_mut("bow").unwrap() -= 1;
/// *ammo.entry("bow".into()).or_default() -= 1;
/// ammo.remove("gun");
/// assert_eq!((ammo["bow"], ammo.len()), (10, 2));
/// assert!(ammo.is_dirty());
/// ```
/// `map[key] = x` and `map.values_mut()` do not compile, since they would hide the change:
/// write `map.insert(key, x)` and [`for_each_mut`](Self::for_each_mut).
///
/// Iteration follows the order of insertion, until a key is removed; the order
/// may differ on a client.
///
/// On the wire a delta is the new state of every key that has changed since the last update
/// (WIRE.md, section 3), or the whole map where that is shorter. Without observers no log is kept.
/// In the encoding `Mirror` every operation travels in order.
///
/// The [limits](crate::SyncList#limits) in elements and bytes are those of a `SyncList`, with a key and a
/// value in the place of an element. A map without a form stops alone, except in `Mirror`.
///
/// A field with this type may have a hook: `#[sync_var(hook = on_change)]` calls
/// `fn on_change(&mut self, change: &DictionaryChange<K, V>)` on a client for every key that has
/// changed; `batch_hook = on_changes` calls `fn on_changes(&mut self, changes: &[DictionaryChange<K, V>])`
/// once for all changes of an update. Neither runs for a snapshot.
pub struct SyncDictionary<K, V> {
    items: IndexMap<K, V>,
    record: Record<Keys<IndexMap<K, bool>>, DictionaryOperation<K, V>>,
}

impl<K, V> SyncDictionary<K, V> {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self::with(IndexMap::new())
    }

    fn with(items: IndexMap<K, V>) -> Self {
        let record = Record::default();
        Self { items, record }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns an iterator over all keys with their values.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.items.iter())
    }

    /// Returns an iterator over all keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.items.keys()
    }

    /// Returns an iterator over all values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.items.values()
    }
}

impl<K: Hash + Eq, V> SyncDictionary<K, V> {
    /// Returns the value of a key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.items.get(key)
    }

    /// Returns the stored key and its value.
    pub fn get_key_value<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.items.get_key_value(key)
    }

    /// Returns whether the map contains a key.
    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.items.contains_key(key)
    }
}

/// Iterator over the keys of a [`SyncDictionary`] with their values.
#[derive(Debug)]
pub struct Iter<'a, K, V>(indexmap::map::Iter<'a, K, V>);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Iterator over the keys and values of a consumed [`SyncDictionary`].
#[derive(Debug)]
pub struct IntoIter<K, V>(indexmap::map::IntoIter<K, V>);

wrapped_iterator!(Iter<'a, K, V>, (&'a K, &'a V));
wrapped_iterator!(IntoIter<K, V>, (K, V));

impl<K, V> Default for SyncDictionary<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Clone, V: Clone> Clone for SyncDictionary<K, V> {
    /// Copies the content into a new map.
    fn clone(&self) -> Self {
        Self::with(self.items.clone())
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SyncDictionary<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<K: Hash + Eq, V: PartialEq> PartialEq for SyncDictionary<K, V> {
    /// Compares keys and values without regard to order.
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<K: Hash + Eq, V: Eq> Eq for SyncDictionary<K, V> {}

impl<K: Hash + Eq, V, Q: Hash + Eq + ?Sized> Index<&Q> for SyncDictionary<K, V>
where
    K: Borrow<Q>,
{
    type Output = V;

    /// Returns the value of a key.
    ///
    /// # Panics
    ///
    /// When the key is absent.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no such key in the dictionary")
    }
}

impl<K: Hash + Eq, V, const N: usize> From<[(K, V); N]> for SyncDictionary<K, V> {
    fn from(items: [(K, V); N]) -> Self {
        Self::from_iter(items)
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for SyncDictionary<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
        Self::with(IndexMap::from_iter(items))
    }
}

impl<K, V> IntoIterator for SyncDictionary<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> Self::IntoIter {
        IntoIter(self.items.into_iter())
    }
}

impl<'a, K, V> IntoIterator for &'a SyncDictionary<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(feature = "serde")]
impl<K: serde::Serialize, V: serde::Serialize> serde::Serialize for SyncDictionary<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

#[cfg(feature = "serde")]
impl<'de, K, V> serde::Deserialize<'de> for SyncDictionary<K, V>
where
    K: serde::Deserialize<'de> + Hash + Eq,
    V: serde::Deserialize<'de>,
{
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IndexMap::deserialize(deserializer).map(Self::with)
    }
}
