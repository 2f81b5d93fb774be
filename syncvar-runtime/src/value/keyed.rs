//! Maps and sets of values.

use std::fmt;

use indexmap::{IndexMap, IndexSet};

use super::Value;

/// Keys, each with a value, of a map or a `SyncDictionary`. The order does not count in a comparison.
///
/// ```
/// use syncvar::untyped::{MapValue, Value};
///
/// let mut scores: MapValue = [("red", 3), ("blue", 5)].into_iter().collect();
/// scores.insert("red", 4);
/// assert_eq!(scores.get(&"red".into()), Some(&Value::from(4)));
/// assert_eq!(scores.len(), 2);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct MapValue(IndexMap<Value, Value>);

/// Distinct elements of a set, a `SyncHashSet` or a `SyncSortedSet`. The order does not count in a comparison.
///
/// ```
/// use syncvar::untyped::SetValue;
///
/// let marks: SetValue = [1, 2, 2].into_iter().collect();
/// assert_eq!((marks.len(), marks.contains(&1.into())), (2, true));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SetValue(IndexSet<Value>);

impl MapValue {
    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the map has no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns the value of a key, for writing.
    pub fn get_mut(&mut self, key: &Value) -> Option<&mut Value> {
        self.0.get_mut(key)
    }

    /// Sets the value of a key; returns the previous value.
    pub fn insert(&mut self, key: impl Into<Value>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(key.into(), value.into())
    }

    /// Adds a key, unless the map has it.
    pub(crate) fn insert_first(&mut self, key: Value, value: Value) {
        self.0.entry(key).or_insert(value);
    }

    /// Removes a key; returns its value.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        self.0.swap_remove(key)
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the keys with their values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.0.iter()
    }

    /// Prepares memory for more keys.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.0.reserve(count);
    }
}

impl SetValue {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the set has no elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the set has an element.
    pub fn contains(&self, element: &Value) -> bool {
        self.0.contains(element)
    }

    /// Adds an element; returns whether it is new.
    pub fn insert(&mut self, element: impl Into<Value>) -> bool {
        self.0.insert(element.into())
    }

    /// Removes an element; returns whether the set had it.
    pub fn remove(&mut self, element: &Value) -> bool {
        self.0.swap_remove(element)
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the elements.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.0.iter()
    }

    /// Prepares memory for more elements.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.0.reserve(count);
    }
}

impl<K: Into<Value>, V: Into<Value>> FromIterator<(K, V)> for MapValue {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        Self(
            entries
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

impl<V: Into<Value>> FromIterator<V> for SetValue {
    fn from_iter<I: IntoIterator<Item = V>>(elements: I) -> Self {
        Self(elements.into_iter().map(V::into).collect())
    }
}

impl From<MapValue> for Value {
    fn from(value: MapValue) -> Self {
        Self::Map(Box::new(value))
    }
}

impl From<SetValue> for Value {
    fn from(value: SetValue) -> Self {
        Self::Set(Box::new(value))
    }
}

impl fmt::Debug for MapValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl fmt::Debug for SetValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
