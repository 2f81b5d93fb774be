//! Changed keys of a map, or elements of a set, since its last send.

use std::collections::BTreeMap;
use std::hash::Hash;

use indexmap::IndexMap;

use super::record::{KEPT, Log};
use crate::SyncValue;

/// Changed keys, each with a flag set if clients have the key. The new state is in the
/// collection itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys<M> {
    /// Set if all keys were removed first: clients have none then.
    cleared: bool,
    keys: M,
}

/// Effect of a new key on clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// Clients lack an equal key.
    New,
    /// Clients have the key: it was removed and inserted again.
    Again,
    /// Clients have an equal, yet distinguishable key. No operation expresses that.
    Another,
}

/// Map from keys to a flag, set if clients have the key.
pub(super) trait KeyMap: Default {
    type Key;

    /// Returns the stored key and its flag.
    fn find(&self, key: &Self::Key) -> Option<(&Self::Key, bool)>;
    fn put(&mut self, key: Self::Key, had: bool);
    fn remove(&mut self, key: &Self::Key);
    fn len(&self) -> usize;
    fn clear(&mut self);
    /// Iterates in a deterministic order.
    fn iter(&self) -> impl Iterator<Item = &Self::Key>;
}

impl<M: KeyMap> Log for Keys<M> {
    fn is_empty(&self) -> bool {
        !self.cleared && self.keys.len() == 0
    }

    fn clear(&mut self) {
        self.cleared = false;
        self.keys.clear();
    }
}

impl<M: KeyMap> Keys<M> {
    /// Records a new key.
    pub(super) fn add(&mut self, key: &M::Key) -> Added
    where
        M::Key: SyncValue,
    {
        match self.keys.find(key) {
            Some((former, true)) if former.same(key) => Added::Again,
            Some((_, true)) => Added::Another,
            Some((_, false)) => Added::New,
            None => {
                self.keys.put(key.clone(), false);
                Added::New
            }
        }
    }

    /// Records a new value of a present key.
    pub(super) fn change(&mut self, key: &M::Key)
    where
        M::Key: Clone,
    {
        if self.keys.find(key).is_none() {
            self.keys.put(key.clone(), true);
        }
    }

    /// Records the removal of a key.
    pub(super) fn remove(&mut self, key: &M::Key)
    where
        M::Key: Clone,
    {
        match self.keys.find(key) {
            Some((_, true)) => {}
            Some((_, false)) => self.keys.remove(key),
            None => self.keys.put(key.clone(), true),
        }
    }

    /// Discards the record of a key: its state is equal to the clients' state again.
    pub(super) fn forget(&mut self, key: &M::Key) {
        self.keys.remove(key);
    }

    /// Records the removal of every key.
    pub(super) fn clear_all(&mut self) {
        self.keys.clear();
        self.cleared = true;
    }

    /// Returns whether all keys were removed before the recorded changes.
    pub(super) fn cleared(&self) -> bool {
        self.cleared
    }

    /// Returns the changed keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = &M::Key> {
        self.keys.iter()
    }

    /// Returns the number of operations.
    pub(super) fn operations(&self) -> usize {
        self.keys.len() + usize::from(self.cleared)
    }
}

impl<K: Hash + Eq> KeyMap for IndexMap<K, bool> {
    type Key = K;

    fn find(&self, key: &K) -> Option<(&K, bool)> {
        let (key, had) = self.get_key_value(key)?;
        Some((key, *had))
    }

    fn put(&mut self, key: K, had: bool) {
        self.insert(key, had);
    }

    fn remove(&mut self, key: &K) {
        self.swap_remove(key);
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        self.clear();
        self.shrink_to(KEPT);
    }

    fn iter(&self) -> impl Iterator<Item = &K> {
        self.keys()
    }
}

impl<K: Ord> KeyMap for BTreeMap<K, bool> {
    type Key = K;

    fn find(&self, key: &K) -> Option<(&K, bool)> {
        let (key, had) = self.get_key_value(key)?;
        Some((key, *had))
    }

    fn put(&mut self, key: K, had: bool) {
        self.insert(key, had);
    }

    fn remove(&mut self, key: &K) {
        self.remove(key);
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn iter(&self) -> impl Iterator<Item = &K> {
        self.keys()
    }
}
