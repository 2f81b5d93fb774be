//! Writes to single elements of a list.

use super::{ElementMut, SyncList};
use crate::SyncValue;
use crate::field::NoticesWrites;

/// Methods that change the list. A position beyond its end panics as in `Vec`.
impl<T: SyncValue> SyncList<T> {
    /// Adds an element at the end.
    pub fn push(&mut self, value: T) {
        self.settle();
        self.record.note().add(&value);
        self.items.push(value);
        self.limit();
    }

    /// Removes the last element and returns it.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.items.len().checked_sub(1)?;
        Some(self.remove(last))
    }

    /// Inserts an element before a position, or at the end.
    ///
    /// # Panics
    ///
    /// When the position is beyond the end.
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: T) {
        if index == self.items.len() && !self.record.is_full() {
            return self.push(value);
        }
        self.settle();
        self.items.insert(index, value);
        self.record.note().insert(index, &self.items[index]);
        self.limit();
    }

    /// Removes an element; the elements behind it move down.
    ///
    /// # Panics
    ///
    /// When the position is beyond the end.
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        self.settle();
        let removed = self.items.remove(index);
        self.record.note().remove_at(index);
        removed
    }

    /// Removes an element and moves the last one into its place.
    ///
    /// # Panics
    ///
    /// When the position is beyond the end.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        self.settle();
        let removed = self.items.swap_remove(index);
        let last = self.items.len();
        if let Some(moved) = self.items.get(index) {
            self.record.note().set(index, moved);
        }
        self.record.note().remove_at(last);
        self.limit();
        removed
    }

    /// Replaces the element at a position. Returns whether the new one differs; an equal one is not
    /// sent.
    ///
    /// # Panics
    ///
    /// When the position is beyond the end.
    #[inline]
    #[track_caller]
    pub fn set(&mut self, index: usize, value: T) -> bool {
        self.replace(index, value).is_some()
    }

    /// Replaces the element at a position, and returns the previous value; `None` if it is equal.
    ///
    /// # Panics
    ///
    /// When the position is beyond the end.
    #[inline]
    #[track_caller]
    pub fn replace(&mut self, index: usize, value: T) -> Option<T> {
        self.settle();
        let item = &mut self.items[index];
        if item.same(&value) {
            return None;
        }
        let previous = std::mem::replace(item, value);
        self.record.note().set(index, item);
        self.limit();
        Some(previous)
    }

    /// Returns the element at a position for writing.
    #[doc(alias = "index_mut")]
    pub fn get_mut(&mut self, index: usize) -> Option<ElementMut<'_, T>> {
        ElementMut::new(self, index)
    }

    /// Returns the first element for writing.
    pub fn first_mut(&mut self) -> Option<ElementMut<'_, T>> {
        self.get_mut(0)
    }

    /// Returns the last element for writing.
    pub fn last_mut(&mut self) -> Option<ElementMut<'_, T>> {
        let last = self.items.len().checked_sub(1)?;
        self.get_mut(last)
    }

    /// Calls a function with each element for writing; elements with a difference afterwards have changed.
    ///
    /// ```
    /// # use syncvar::SyncList;
    /// let mut timers = SyncList::from([0.5_f32, 0.0, 2.0]);
    /// timers.for_each_mut(|timer| *timer = (*timer - 0.5).max(0.0));
    /// assert_eq!(timers, [0.0, 0.0, 1.5]);
    /// ```
    pub fn for_each_mut(&mut self, mut action: impl FnMut(&mut T)) {
        for index in 0..self.items.len() {
            if let Some(mut element) = self.get_mut(index) {
                action(&mut element);
            }
        }
    }

    /// Does not compile: [`for_each_mut`](Self::for_each_mut) writes all elements.
    #[expect(clippy::iter_without_into_iter, reason = "it never runs")]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T>
    where
        Self: NoticesWrites,
    {
        [].iter_mut()
    }

    /// Exchanges two elements.
    ///
    /// # Panics
    ///
    /// When a position is beyond the end.
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        self.settle();
        self.items.swap(a, b);
        // Members that do not travel may differ.
        if !self.items[a].same(&self.items[b]) {
            self.note_set(a);
            self.note_set(b);
        }
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        if !self.items.is_empty() || self.record.is_full() {
            self.settle();
            self.items.clear();
            self.record.note().clear_list();
        }
    }

    /// Keeps the first `length` elements.
    pub fn truncate(&mut self, length: usize) {
        if length < self.items.len() {
            self.drain(length..);
        }
    }

    /// Shortens or extends the list to a length, with copies of a value at the end.
    pub fn resize(&mut self, length: usize, value: T) {
        self.truncate(length);
        let missing = length - self.items.len();
        self.extend(std::iter::repeat_n(value, missing));
    }

    /// Removes and returns the elements from a position on.
    ///
    /// # Panics
    ///
    /// When the position is beyond the end.
    #[track_caller]
    pub fn split_off(&mut self, index: usize) -> Vec<T> {
        self.drain(index..).collect()
    }

    /// Moves the elements of a `Vec` to the end of the list.
    pub fn append(&mut self, other: &mut Vec<T>) {
        self.extend(other.drain(..));
    }

    /// Records a replaced element.
    pub(super) fn note_set(&mut self, index: usize) {
        self.record.note().set(index, &self.items[index]);
        self.limit();
    }

    /// Discards a log of more elements than the list has: the list is then sent as a whole.
    pub(super) fn limit(&mut self) {
        let elements = self.items.len();
        if self
            .record
            .changes()
            .is_some_and(|log| log.is_longer_than(elements))
        {
            self.record.set_dirty();
        }
    }
}

impl<T: SyncValue> Extend<T> for SyncList<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

impl<'a, T: SyncValue + Copy> Extend<&'a T> for SyncList<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, values: I) {
        self.extend(values.into_iter().copied());
    }
}
