//! `SyncHashSet` and `SyncSortedSet`: sets that send their changes alone.

mod change;
mod field;
mod mirror;
mod note;
mod storage;

use std::borrow::Borrow;
use std::collections::{BTreeSet, btree_set};
use std::convert::identity;
use std::fmt;
use std::hash::Hash;
use std::ops::{Deref, RangeBounds};

use indexmap::IndexSet;

use super::hash_set;
use super::keys::{Added, Keys};
use super::record::Record;
use crate::SyncValue;
use mirror::SetOperation;
use storage::Storage;

pub use change::SetChange;

/// A synchronised set of unique values without an order. Use it as a `HashSet`: it sends its changes,
/// independent of the size of the set.
///
/// ```
/// use syncvar::SyncHashSet;
///
/// let mut tags = SyncHashSet::from(["red", "fast"].map(String::from));
/// assert!(tags.insert("new".into()) && !tags.insert("red".into()));
/// assert!(tags.remove("fast"));
/// assert!(tags.contains("new") && tags.is_dirty());
/// ```
/// Iteration follows the order of insertion, until an element is removed;
/// the order may differ on a client.
///
/// On the wire a delta is the new state of every element that has changed since the last update
/// (WIRE.md, section 3), or the whole set where that is shorter. Without observers no log is kept.
/// In the encoding `Mirror` every operation travels in order.
///
/// The [limits](crate::SyncList#limits) in elements and bytes are those of a `SyncList`. A set without a form
/// stops alone, except in `Mirror`.
///
/// A field with this type may have a hook: `#[sync_var(hook = on_change)]` calls
/// `fn on_change(&mut self, change: &SetChange<T>)` on a client for every element that has changed;
/// `batch_hook = on_changes` calls `fn on_changes(&mut self, changes: &[SetChange<T>])` once for all
/// changes of an update. Neither runs for a snapshot.
pub struct SyncHashSet<T> {
    items: IndexSet<T>,
    record: Record<Keys<indexmap::IndexMap<T, bool>>, SetOperation<T>>,
}

/// A synchronised set of unique values in ascending order. Use it as a `BTreeSet`, to which it
/// dereferences for all reads.
///
/// ```
/// use syncvar::SyncSortedSet;
///
/// let mut scores = SyncSortedSet::from([30, 10, 20]);
/// scores.insert(15);
/// scores.pop_last();
/// assert!(scores.iter().eq(&[10, 15, 20]));
/// assert_eq!(scores.range(12..).next(), Some(&15));
/// ```
///
/// Otherwise it equals [`SyncHashSet`].
pub struct SyncSortedSet<T> {
    items: BTreeSet<T>,
    record: Record<Keys<std::collections::BTreeMap<T, bool>>, SetOperation<T>>,
}

/// Items of the two sets.
macro_rules! both {
    (
        $name:ident, $storage:ident, $bound:ident $(+ $more:ident)?,
        $iter:ty = $borrowed:path, $into_iter:ty = $owned:path
    ) => {
        impl<T> $name<T> {
            /// Creates an empty set.
            pub fn new() -> Self {
                Self::with($storage::new())
            }

            fn with(items: $storage<T>) -> Self {
                let record = Record::default();
                Self { items, record }
            }
        }

        /// Methods that change the set.
        impl<T: SyncValue + $bound $(+ $more)?> $name<T> {
            /// Inserts an element. Returns whether it was absent.
            pub fn insert(&mut self, value: T) -> bool {
                if self.items.contains(&value) {
                    return false;
                }
                self.settle();
                if self.record.note().add(&value) == Added::Another {
                    self.record.set_dirty();
                }
                self.items.insert(value)
            }

            /// Removes an element. Returns whether it was present.
            pub fn remove<Q: $bound $(+ $more)? + ?Sized>(&mut self, value: &Q) -> bool
            where
                T: Borrow<Q>,
            {
                self.take(value).is_some()
            }

            /// Removes an element and returns it.
            pub fn take<Q: $bound $(+ $more)? + ?Sized>(&mut self, value: &Q) -> Option<T>
            where
                T: Borrow<Q>,
            {
                self.settle();
                let taken = Storage::take_out(&mut self.items, value)?;
                self.note_removed(&taken);
                Some(taken)
            }

            /// Keeps the elements for which a function returns `true`.
            pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
                self.settle();
                let Self { items, record } = self;
                // Calls `keep` for all elements before the first removal: a panic half-way would leave a set with a broken
                // index.
                let stay: Vec<_> = items.iter().map(|value| keep(value)).collect();
                let mut stay = stay.into_iter();
                items.retain(|value| {
                    let stays = stay.next().unwrap_or(true);
                    if !stays {
                        record.note().remove(value);
                    }
                    stays
                });
            }

            /// Removes all elements.
            pub fn clear(&mut self) {
                self.drain();
            }

            /// Removes all elements at once, and returns them.
            pub fn drain(&mut self) -> $into_iter {
                self.settle();
                let items = std::mem::take(&mut self.items);
                if !items.is_empty() || self.record.is_full() {
                    self.record.note().clear_all();
                }
                $owned(items.into_iter())
            }

            fn note_removed(&mut self, value: &T) {
                self.record.note().remove(value);
            }

            /// Records an interrupted change before the next one.
            #[inline]
            fn settle(&mut self) {
                if self.record.is_unfinished() {
                    self.settle_slowly();
                }
            }

            #[cold]
            fn settle_slowly(&mut self) {
                if let Some(operations) = self.record.settle() {
                    operations.push(SetOperation::Clear);
                    operations.extend(self.items.iter().cloned().map(SetOperation::Add));
                }
            }
        }

        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T: Clone> Clone for $name<T> {
            /// Copies the elements into a new set.
            fn clone(&self) -> Self {
                Self::with(self.items.clone())
            }
        }

        impl<T: fmt::Debug> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.items.fmt(f)
            }
        }

        impl<T: $bound $(+ $more)?> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.items == other.items
            }
        }

        impl<T: $bound $(+ $more)?> Eq for $name<T> {}

        impl<T: $bound $(+ $more)?, const N: usize> From<[T; N]> for $name<T> {
            fn from(items: [T; N]) -> Self {
                Self::from_iter(items)
            }
        }

        impl<T: $bound $(+ $more)?> FromIterator<T> for $name<T> {
            fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
                Self::with($storage::from_iter(items))
            }
        }

        impl<T: SyncValue + $bound $(+ $more)?> Extend<T> for $name<T> {
            fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
                for value in values {
                    self.insert(value);
                }
            }
        }

        impl<T> IntoIterator for $name<T> {
            type Item = T;
            type IntoIter = $into_iter;

            fn into_iter(self) -> Self::IntoIter {
                $owned(self.items.into_iter())
            }
        }

        impl<'a, T> IntoIterator for &'a $name<T> {
            type Item = &'a T;
            type IntoIter = $iter;

            fn into_iter(self) -> Self::IntoIter {
                $borrowed(self.items.iter())
            }
        }

        #[cfg(feature = "serde")]
        impl<T: serde::Serialize> serde::Serialize for $name<T> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de, T: serde::Deserialize<'de> + $bound $(+ $more)?> serde::Deserialize<'de>
            for $name<T>
        {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Vec::deserialize(deserializer).map(Self::from_iter)
            }
        }
    };
}

both!(
    SyncHashSet, IndexSet, Hash + Eq,
    hash_set::Iter<'a, T> = hash_set::Iter, hash_set::IntoIter<T> = hash_set::IntoIter
);
both!(
    SyncSortedSet, BTreeSet, Ord,
    btree_set::Iter<'a, T> = identity, btree_set::IntoIter<T> = identity
);

impl<T> SyncHashSet<T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns an iterator over all elements.
    pub fn iter(&self) -> hash_set::Iter<'_, T> {
        hash_set::Iter(self.items.iter())
    }
}

impl<T: Hash + Eq> SyncHashSet<T> {
    /// Returns whether the set contains an element.
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.contains(value)
    }

    /// Returns the stored element.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, value: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.items.get(value)
    }

    /// Returns whether a second set contains the elements of this set.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.items.is_subset(&other.items)
    }

    /// Returns whether this set contains the elements of a second set.
    pub fn is_superset(&self, other: &Self) -> bool {
        self.items.is_superset(&other.items)
    }

    /// Returns whether both sets are disjoint.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.items.is_disjoint(&other.items)
    }

    /// Returns the common elements of the two sets.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.items.intersection(&other.items)
    }

    /// Returns the elements of the two sets, each once.
    pub fn union<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.items.union(&other.items)
    }

    /// Returns the elements that a second set lacks.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.items.difference(&other.items)
    }
}

impl<T> Deref for SyncSortedSet<T> {
    type Target = BTreeSet<T>;

    fn deref(&self) -> &BTreeSet<T> {
        &self.items
    }
}

impl<T: SyncValue + Ord> SyncSortedSet<T> {
    /// Removes the lowest element and returns it.
    pub fn pop_first(&mut self) -> Option<T> {
        self.settle();
        let first = self.items.pop_first()?;
        self.note_removed(&first);
        Some(first)
    }

    /// Removes the highest element and returns it.
    pub fn pop_last(&mut self) -> Option<T> {
        self.settle();
        let last = self.items.pop_last()?;
        self.note_removed(&last);
        Some(last)
    }

    /// Removes the elements of a range and returns them.
    pub fn drain_range<Q: Ord + ?Sized>(&mut self, range: impl RangeBounds<Q>) -> Vec<T>
    where
        T: Borrow<Q>,
    {
        self.settle();
        let taken: Vec<_> = self.items.range(range).cloned().collect();
        for value in &taken {
            self.items.remove::<T>(value);
            self.note_removed(value);
        }
        taken
    }
}
