//! Storage of a set.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use indexmap::{IndexMap, IndexSet};

use crate::field::keys::KeyMap;
use crate::wire::budget::is_wasteful;

/// Elements of a set, found by `Q`.
pub(super) trait Storage<Q: ?Sized> {
    type Item;

    /// Removes an element and returns it.
    fn take_out(&mut self, value: &Q) -> Option<Self::Item>;
}

impl<T: Hash + Eq + Borrow<Q>, Q: Hash + Eq + ?Sized> Storage<Q> for IndexSet<T> {
    type Item = T;

    fn take_out(&mut self, value: &Q) -> Option<T> {
        self.swap_take(value)
    }
}

impl<T: Ord + Borrow<Q>, Q: Ord + ?Sized> Storage<Q> for BTreeSet<T> {
    type Item = T;

    fn take_out(&mut self, value: &Q) -> Option<T> {
        self.take(value)
    }
}

/// Elements of a set for reading and writing.
pub(super) trait Items: Default + IntoIterator {
    /// Record of the changed elements.
    type Changed: KeyMap<Key = Self::Item>;

    fn len(&self) -> usize;
    fn reserve(&mut self, additional: usize);
    /// Releases memory that a peer has made the set take for a while.
    fn shrink(&mut self);
    fn has(&self, value: &Self::Item) -> bool {
        self.find(value).is_some()
    }
    /// Returns the stored element.
    fn find(&self, value: &Self::Item) -> Option<&Self::Item>;
    /// Inserts an element. Returns whether it was absent.
    fn put(&mut self, value: Self::Item) -> bool;
    /// Removes an element. Returns whether it was present.
    fn drop_out(&mut self, value: &Self::Item) -> bool;
    fn iter(&self) -> impl ExactSizeIterator<Item = &Self::Item>;
}

impl<T: Hash + Eq> Items for IndexSet<T> {
    type Changed = IndexMap<T, bool>;

    fn len(&self) -> usize {
        self.len()
    }

    fn reserve(&mut self, additional: usize) {
        self.reserve(additional);
    }

    fn shrink(&mut self) {
        if is_wasteful::<T>(self.capacity(), self.len()) {
            self.shrink_to_fit();
        }
    }

    fn find(&self, value: &T) -> Option<&T> {
        self.get(value)
    }

    fn put(&mut self, value: T) -> bool {
        self.insert(value)
    }

    fn drop_out(&mut self, value: &T) -> bool {
        self.swap_remove(value)
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.iter()
    }
}

impl<T: Ord> Items for BTreeSet<T> {
    type Changed = BTreeMap<T, bool>;

    fn len(&self) -> usize {
        self.len()
    }

    fn reserve(&mut self, _additional: usize) {}

    fn shrink(&mut self) {}

    fn find(&self, value: &T) -> Option<&T> {
        self.get(value)
    }

    fn put(&mut self, value: T) -> bool {
        self.insert(value)
    }

    fn drop_out(&mut self, value: &T) -> bool {
        self.remove(value)
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.iter()
    }
}
