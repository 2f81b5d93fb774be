//! Writes to a map.

use std::borrow::Borrow;
use std::hash::Hash;

use super::{Entry, SyncDictionary, ValueMut};
use crate::SyncValue;
use crate::field::NoticesWrites;
use crate::field::keys::Added;

/// Methods that change the map.
impl<K: SyncValue + Hash + Eq, V: SyncValue> SyncDictionary<K, V> {
    /// Sets the value of a key, and returns the previous value. An equal value is not sent.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.settle();
        match self.items.get_key_value(&key) {
            Some((_, former)) if former.same(&value) && !self.record.is_full() => {}
            Some((key, _)) => self.record.note().change(key, &value),
            None => {
                if self.record.note().add(&key, &value) == Added::Another {
                    self.record.set_dirty();
                }
            }
        }
        self.items.insert(key, value)
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes a key and returns it with its value.
    pub fn remove_entry<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.settle();
        let removed = self.items.swap_remove_entry(key)?;
        self.record.note().remove(&removed.0);
        Some(removed)
    }

    /// Returns the value of a present key for writing.
    #[doc(alias = "index_mut")]
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<ValueMut<'_, K, V>>
    where
        K: Borrow<Q>,
    {
        let index = self.items.get_index_of(key)?;
        ValueMut::new(self, index)
    }

    /// Returns the entry of a key, present or not, for reading and writing.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry::new(self, key)
    }

    /// Calls a function with each key and its value for writing; values with a difference afterwards
    /// have changed.
    pub fn for_each_mut(&mut self, mut action: impl FnMut(&K, &mut V)) {
        for index in 0..self.items.len() {
            if let Some(mut value) = ValueMut::new(self, index) {
                let (key, value) = value.parts();
                action(key, value);
            }
        }
    }

    /// Does not compile: [`for_each_mut`](Self::for_each_mut) writes all values.
    #[expect(clippy::iter_without_into_iter, reason = "it never runs")]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, (K, V)>
    where
        Self: NoticesWrites,
    {
        [].iter_mut()
    }

    /// Does not compile: [`for_each_mut`](Self::for_each_mut) writes all values.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V>
    where
        Self: NoticesWrites,
    {
        [].iter_mut()
    }

    /// Keeps the keys for which a function returns `true`.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.settle();
        let Self { items, record } = self;
        // Calls `keep` for all entries before the first removal: a panic half-way would leave a map with a broken index.
        let stay: Vec<_> = items.iter().map(|(key, value)| keep(key, value)).collect();
        let mut stay = stay.into_iter();
        items.retain(|key, _| {
            let stays = stay.next().unwrap_or(true);
            if !stays {
                record.note().remove(key);
            }
            stays
        });
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.drain();
    }

    /// Removes all entries at once, and returns them.
    pub fn drain(&mut self) -> super::IntoIter<K, V> {
        self.settle();
        let items = std::mem::take(&mut self.items);
        if !items.is_empty() || self.record.is_full() {
            self.record.note().clear_all();
        }
        super::IntoIter(items.into_iter())
    }

    /// Records a new value at a position.
    pub(super) fn note_changed(&mut self, index: usize) {
        if let Some((key, value)) = self.items.get_index(index) {
            self.record.note().change(key, value);
        }
    }
}

impl<K: SyncValue + Hash + Eq, V: SyncValue> Extend<(K, V)> for SyncDictionary<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
        for (key, value) in items {
            self.insert(key, value);
        }
    }
}
