//! What writes to a list.

use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

use super::difference::difference;
use super::{ElementMut, SyncList};
use crate::SyncValue;

/// What changes the list. A position beyond its end panics as it does in `Vec`.
impl<T: SyncValue> SyncList<T> {
    /// Adds an element at the end.
    pub fn push(&mut self, value: T) {
        if let Some(log) = self.record.log() {
            log.add(value.clone());
        }
        self.items.push(value);
        self.limit();
    }

    /// Takes the last element out.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.items.len().checked_sub(1)?;
        Some(self.remove(last))
    }

    /// Puts an element before the one at a position, or at the end.
    ///
    /// # Panics
    ///
    /// When there are fewer elements than that before it.
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: T) {
        if index == self.items.len() {
            return self.push(value);
        }
        self.items.insert(index, value);
        if let Some(log) = self.record.log() {
            log.insert(index, self.items[index].clone());
        }
        self.limit();
    }

    /// Takes an element out; those behind it move down.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        let removed = self.items.remove(index);
        if let Some(log) = self.record.log() {
            log.remove_at(index);
        }
        removed
    }

    /// Takes an element out and puts the last one into its place.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let removed = self.items.swap_remove(index);
        let last = self.items.len();
        if let Some(log) = self.record.log() {
            if let Some(moved) = self.items.get(index) {
                log.set(index, moved.clone());
            }
            log.remove_at(last);
        }
        self.limit();
        removed
    }

    /// Puts another element at a position. Returns whether it is another one: of the same, nothing is
    /// sent.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    #[track_caller]
    pub fn set(&mut self, index: usize, value: T) -> bool {
        self.replace(index, value).is_some()
    }

    /// Puts another element at a position, and returns what was there; `None` if it is the same.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    #[track_caller]
    pub fn replace(&mut self, index: usize, value: T) -> Option<T> {
        let item = &mut self.items[index];
        if item.same(&value) {
            return None;
        }
        let previous = std::mem::replace(item, value);
        self.note_set(index);
        Some(previous)
    }

    /// An element for writing, if there is one at this position.
    pub fn get_mut(&mut self, index: usize) -> Option<ElementMut<'_, T>> {
        ElementMut::new(self, index)
    }

    /// The first element for writing.
    pub fn first_mut(&mut self) -> Option<ElementMut<'_, T>> {
        self.get_mut(0)
    }

    /// The last element for writing.
    pub fn last_mut(&mut self) -> Option<ElementMut<'_, T>> {
        let last = self.items.len().checked_sub(1)?;
        self.get_mut(last)
    }

    /// Shows every element for writing to a function; those that are others afterwards have changed.
    ///
    /// ```
    /// # use syncvar_runtime::SyncList;
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

    /// Exchanges two elements.
    ///
    /// # Panics
    ///
    /// When one of them is not there.
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
        // Members that do not travel may differ.
        if !self.items[a].same(&self.items[b]) {
            self.note_set(a);
            self.note_set(b);
        }
    }

    /// Takes all elements out.
    pub fn clear(&mut self) {
        if !self.items.is_empty() {
            self.items.clear();
            if let Some(log) = self.record.log() {
                log.clear_list();
            }
        }
    }

    /// Keeps the first elements, so many of them.
    pub fn truncate(&mut self, length: usize) {
        if length < self.items.len() {
            self.drain(length..);
        }
    }

    /// Makes the list so long, with copies of a value if it was shorter.
    pub fn resize(&mut self, length: usize, value: T) {
        self.truncate(length);
        let missing = length - self.items.len();
        self.extend(std::iter::repeat_n(value, missing));
    }

    /// Takes the elements from a position on out.
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

    /// Takes a range of elements out, at once, and gives them.
    ///
    /// # Panics
    ///
    /// When the range reaches beyond the end.
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> std::vec::IntoIter<T> {
        self.splice(range, [])
    }

    /// Puts elements into the place of a range, and gives those that were there.
    ///
    /// ```
    /// # use syncvar_runtime::SyncList;
    /// let mut list = SyncList::from([1, 2, 3, 4]);
    /// assert!(list.splice(1..3, [9, 9, 9]).eq([2, 3]));
    /// assert_eq!(list, [1, 9, 9, 9, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// When the range reaches beyond the end.
    #[track_caller]
    pub fn splice(
        &mut self,
        range: impl RangeBounds<usize>,
        values: impl IntoIterator<Item = T>,
    ) -> std::vec::IntoIter<T> {
        let (start, end) = bounds(&range, self.items.len());
        let values = Vec::from_iter(values);
        let all = start == 0 && end == self.items.len() && values.is_empty();
        if start == end && values.is_empty() {
            return Vec::new().into_iter();
        }
        let log = self.record.log().map(|log| match all {
            true => log.clear_list(),
            false => log.splice(start, end - start, values.clone()),
        });
        let removed = Vec::from_iter(self.items.splice(start..end, values));
        if log.is_some() {
            self.limit();
        }
        removed.into_iter()
    }

    /// Keeps the elements that a function says yes to.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let begun = self.record.begin();
        let mut runs = Vec::new();
        let (mut kept, mut removed) = (0, 0);
        self.items.retain(|item| {
            let stays = keep(item);
            if stays && removed > 0 {
                runs.push((std::mem::take(&mut kept), std::mem::take(&mut removed)));
            }
            if stays {
                kept += 1;
            } else {
                removed += 1;
            }
            stays
        });
        if removed > 0 {
            runs.push((kept, removed));
        }
        self.record.end(begun);
        self.note_removed(runs);
    }

    /// Takes out elements that equal the one before them.
    pub fn dedup(&mut self)
    where
        T: PartialEq,
    {
        self.dedup_by_key(|item| item.clone());
    }

    /// Takes out elements of which a function says the same as of the one before them.
    pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&T) -> K) {
        let mut last = None;
        self.retain(|item| {
            let next = Some(key(item));
            let is_new = next != last;
            last = next;
            is_new
        });
    }

    /// Sorts the elements; equal ones keep their order.
    pub fn sort(&mut self)
    where
        T: Ord,
    {
        self.update(|items| items.sort());
    }

    /// Sorts the elements by what a function says of two; equal ones keep their order.
    pub fn sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
        self.update(|items| items.sort_by(compare));
    }

    /// Sorts the elements by what a function says of each; equal ones keep their order.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.update(|items| items.sort_by_key(key));
    }

    /// Turns the order of the elements round.
    pub fn reverse(&mut self) {
        self.update(|items| items.reverse());
    }

    /// Lets a function do to the elements whatever it likes, and compares them with what they were.
    /// That takes a copy of the list and the time to walk it; what is sent is the difference.
    ///
    /// ```
    /// # use syncvar_runtime::SyncList;
    /// let mut list = SyncList::from([1, 2, 3]);
    /// list.update(|items| items.rotate_left(1));
    /// assert_eq!(list, [2, 3, 1]);
    /// ```
    pub fn update<R>(&mut self, change: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let begun = self.record.begin();
        let previous = self.items.clone();
        let result = change(&mut self.items);
        self.record.end(begun);
        self.note_difference(&previous);
        result
    }

    /// An element is another one than before.
    pub(super) fn note_set(&mut self, index: usize) {
        if let Some(log) = self.record.log() {
            log.set(index, self.items[index].clone());
        }
        self.limit();
    }

    /// Runs of elements were taken out.
    fn note_removed(&mut self, runs: Vec<(usize, usize)>) {
        if runs.is_empty() {
            return;
        }
        if let Some(log) = self.record.log() {
            match runs[..] {
                _ if self.items.is_empty() => log.clear_list(),
                [(index, 1)] => log.remove_at(index),
                _ => log.remove(runs),
            }
        }
    }

    /// The list was another one before.
    fn note_difference(&mut self, previous: &[T]) {
        let Some(found) = difference(previous, &self.items) else {
            return;
        };
        let Some(log) = self.record.log() else {
            return;
        };
        for index in found.set() {
            if !previous[index].same(&self.items[index]) {
                log.set(index, self.items[index].clone());
            }
        }
        let (removed, inserted) = found.moved();
        match (removed.len(), inserted.len()) {
            (0, 0) => {}
            _ if self.items.is_empty() => log.clear_list(),
            (0, 1) if inserted.end < self.items.len() => {
                log.insert(inserted.start, self.items[inserted.start].clone());
            }
            (0, _) if inserted.end == self.items.len() => {
                let added = &self.items[inserted];
                added.iter().for_each(|item| log.add(item.clone()));
            }
            (1, 0) => log.remove_at(removed.start),
            (count, _) => log.splice(removed.start, count, self.items[inserted].to_vec()),
        }
        self.limit();
    }

    /// A log of more elements than the list has is given up: the list is sent whole then.
    fn limit(&mut self) {
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

/// First position of a range, and the one behind its last.
#[track_caller]
fn bounds(range: &impl RangeBounds<usize>, length: usize) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => *before + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => *last + 1,
        Bound::Excluded(end) => *end,
        Bound::Unbounded => length,
    };
    assert!(
        start <= end && end <= length,
        "the range {start}..{end} does not lie in a list of {length} elements"
    );
    (start, end)
}
