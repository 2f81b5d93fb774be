//! Which keys of a map, or elements of a set, have changed since it was sent last.

use std::collections::BTreeMap;
use std::hash::Hash;

use indexmap::IndexMap;

use super::record::{KEPT, Log};

/// For each key that has changed: whether clients have it. What has become of it is seen in the
/// collection itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys<M> {
    /// Whether everything was taken out first: clients have none then.
    cleared: bool,
    keys: M,
}

/// A map from keys to whether clients have them.
pub(super) trait KeyMap: Default {
    type Key;

    fn had(&self, key: &Self::Key) -> Option<bool>;
    fn put(&mut self, key: Self::Key, had: bool);
    fn remove(&mut self, key: &Self::Key);
    fn len(&self) -> usize;
    fn clear(&mut self);
    /// In an order that is the same every time.
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
    /// A key is new in the collection. Returns whether clients have had it.
    pub(super) fn add(&mut self, key: &M::Key) -> bool
    where
        M::Key: Clone,
    {
        match self.keys.had(key) {
            Some(had) => had,
            None => {
                self.keys.put(key.clone(), false);
                false
            }
        }
    }

    /// What belongs to a key that was there is another value.
    pub(super) fn change(&mut self, key: &M::Key)
    where
        M::Key: Clone,
    {
        if self.keys.had(key).is_none() {
            self.keys.put(key.clone(), true);
        }
    }

    /// A key that was there is gone.
    pub(super) fn remove(&mut self, key: &M::Key)
    where
        M::Key: Clone,
    {
        match self.keys.had(key) {
            Some(true) => {}
            Some(false) => self.keys.remove(key),
            None => self.keys.put(key.clone(), true),
        }
    }

    /// A key is as clients have it again.
    pub(super) fn forget(&mut self, key: &M::Key) {
        self.keys.remove(key);
    }

    /// All keys are gone; `had_some` says whether there were any.
    pub(super) fn clear_all(&mut self) {
        self.keys.clear();
        self.cleared = true;
    }

    /// Whether everything was taken out, before the keys were changed.
    pub(super) fn cleared(&self) -> bool {
        self.cleared
    }

    /// The keys that have changed.
    pub(super) fn iter(&self) -> impl Iterator<Item = &M::Key> {
        self.keys.iter()
    }

    /// How many operations there are.
    pub(super) fn operations(&self) -> usize {
        self.keys.len() + usize::from(self.cleared)
    }
}

impl<K: Hash + Eq> KeyMap for IndexMap<K, bool> {
    type Key = K;

    fn had(&self, key: &K) -> Option<bool> {
        self.get(key).copied()
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

    fn had(&self, key: &K) -> Option<bool> {
        self.get(key).copied()
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
