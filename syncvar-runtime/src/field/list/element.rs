//! `ElementMut`: an element of a list for writing.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::SyncList;
use crate::SyncValue;
use crate::field::record::Begun;

/// An element of a [`SyncList`] for writing. Its drop compares it with the previous element; only a
/// difference is a change of the list.
///
/// ```
/// use syncvar::SyncList;
///
/// let mut scores = SyncList::from([1, 2, 3]);
/// scores.clear_dirty();
/// *scores.get_mut(1).unwrap() += 0;
/// assert!(!scores.is_dirty());
/// *scores.get_mut(1).unwrap() += 5;
/// assert!(scores.is_dirty());
/// assert_eq!(scores, [1, 7, 3]);
/// ```
pub struct ElementMut<'a, T: SyncValue> {
    list: &'a mut SyncList<T>,
    index: usize,
    previous: T,
    begun: Begun,
}

impl<'a, T: SyncValue> ElementMut<'a, T> {
    /// Creates the guard; `None` if the position is beyond the end.
    pub(super) fn new(list: &'a mut SyncList<T>, index: usize) -> Option<Self> {
        let previous = list.items.get(index)?.clone();
        list.settle();
        let begun = list.record.begin();
        Some(Self {
            list,
            index,
            previous,
            begun,
        })
    }

    /// Returns the position of the element.
    pub fn index(&self) -> usize {
        self.index
    }
}

impl<T: SyncValue> Deref for ElementMut<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.list.items[self.index]
    }
}

impl<T: SyncValue> DerefMut for ElementMut<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.list.items[self.index]
    }
}

impl<T: SyncValue> Drop for ElementMut<'_, T> {
    fn drop(&mut self) {
        self.list.record.end(self.begun);
        if !self.list.items[self.index].same(&self.previous) {
            self.list.note_set(self.index);
        }
    }
}

impl<T: SyncValue + fmt::Debug> fmt::Debug for ElementMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: SyncValue + fmt::Display> fmt::Display for ElementMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
