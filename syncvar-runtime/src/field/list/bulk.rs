//! Writes to many elements of a list at once.

use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

use super::SyncList;
use super::difference::difference;
use super::log::Operation;
use crate::SyncValue;

/// Methods that change many elements at once.
impl<T: SyncValue> SyncList<T> {
    /// Removes a range of elements and returns them.
    ///
    /// # Panics
    ///
    /// When the range reaches beyond the end.
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> std::vec::IntoIter<T> {
        self.splice(range, [])
    }

    /// Replaces a range by new elements, and returns the replaced elements.
    ///
    /// ```
    /// # use syncvar::SyncList;
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
        self.settle();
        let note = self.record.note();
        if all {
            note.clear_list();
        } else {
            note.splice(start, end - start, &values);
        }
        let removed: Vec<_> = self.items.splice(start..end, values).collect();
        self.limit();
        removed.into_iter()
    }

    /// Keeps the elements for which a function returns `true`.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.settle();
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

    /// Removes elements equal to their predecessor.
    pub fn dedup(&mut self)
    where
        T: PartialEq,
    {
        self.dedup_by(|item, former| item == former);
    }

    /// Removes elements with the key of the last kept element before them.
    pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.dedup_by(|item, former| key(item) == key(former));
    }

    /// Removes elements for which a function returns `true`. Its arguments are the element and the last kept
    /// element before it.
    pub fn dedup_by(&mut self, mut is_same: impl FnMut(&T, &T) -> bool) {
        let mut former: Option<&T> = None;
        let stays = self.items.iter().map(|item| {
            let stays = former.is_none_or(|former| !is_same(item, former));
            if stays {
                former = Some(item);
            }
            stays
        });
        let mut stays = stays.collect::<Vec<_>>().into_iter();
        self.retain(|_| stays.next() == Some(true));
    }

    /// Sorts the elements; equal elements keep their order.
    pub fn sort(&mut self)
    where
        T: Ord,
    {
        self.update(|items| items.sort());
    }

    /// Sorts the elements by a comparison; equal elements keep their order.
    pub fn sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
        self.update(|items| items.sort_by(compare));
    }

    /// Sorts the elements by a key; equal elements keep their order.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.update(|items| items.sort_by_key(key));
    }

    /// Reverses the order of the elements.
    pub fn reverse(&mut self) {
        self.update(|items| items.reverse());
    }

    /// Calls a function with the elements as a `Vec`, and sends the difference to the previous elements. The cost is a
    /// copy of the list and a comparison.
    ///
    /// ```
    /// # use syncvar::SyncList;
    /// let mut list = SyncList::from([1, 2, 3]);
    /// list.update(|items| items.rotate_left(1));
    /// assert_eq!(list, [2, 3, 1]);
    /// ```
    pub fn update<R>(&mut self, change: impl FnOnce(&mut Vec<T>) -> R) -> R {
        self.settle();
        let begun = self.record.begin();
        let previous = self.items.clone();
        let result = change(&mut self.items);
        self.record.end(begun);
        self.note_difference(&previous);
        result
    }

    /// Returns whether a second list has the same elements.
    pub(super) fn holds_items_of(&self, other: &Self) -> bool {
        difference(&self.items, &other.items).is_none()
    }

    /// Takes over the elements of a second list. Returns whether they differed.
    pub(super) fn take_items(&mut self, other: &Self) -> bool {
        let Some(found) = difference(&self.items, &other.items) else {
            return false;
        };
        if other.items.is_empty() {
            self.clear();
            return true;
        }
        for index in found.set() {
            if !self.items[index].same(&other.items[index]) {
                self.replace(index, other.items[index].clone());
            }
        }
        let (removed, inserted) = found.moved();
        let inserted = other.items[inserted].iter().cloned();
        if removed.is_empty() && removed.start == self.items.len() {
            self.extend(inserted);
        } else if removed.len() == 1 && inserted.len() == 0 {
            self.remove(removed.start);
        } else {
            self.splice(removed, inserted);
        }
        true
    }

    /// Takes over the operations of a list that had the same elements before them.
    pub(super) fn take_log(&mut self, other: &Self) -> bool {
        let Some(log) = other.record.changes() else {
            return false;
        };
        for operation in &log.operations {
            match operation.clone() {
                Operation::Add(value) => self.push(value),
                Operation::Clear => self.clear(),
                Operation::Insert(index, value) => self.insert(index, value),
                Operation::RemoveAt(index) => drop(self.remove(index)),
                Operation::Set(index, value) => drop(self.replace(index, value)),
                Operation::Splice(index, removed, values) => {
                    self.splice(index..index + removed, values);
                }
                Operation::Remove(runs) => {
                    let runs = runs.into_iter().flat_map(|(stay, go)| {
                        std::iter::repeat_n(true, stay).chain(std::iter::repeat_n(false, go))
                    });
                    let mut stays = runs.fuse();
                    self.retain(|_| stays.next().unwrap_or(true));
                }
            }
        }
        true
    }

    /// Records removed runs of elements.
    fn note_removed(&mut self, runs: Vec<(usize, usize)>) {
        if !runs.is_empty() {
            let all = self.items.is_empty();
            self.record.note().remove(runs, all);
        }
    }

    /// Records the difference to the previous list.
    fn note_difference(&mut self, previous: &[T]) {
        let Some(found) = difference(previous, &self.items) else {
            return;
        };
        let Self { items, record } = self;
        for index in found.set() {
            if !previous[index].same(&items[index]) {
                record.note().set(index, &items[index]);
            }
        }
        let (removed, inserted) = found.moved();
        match (removed.len(), inserted.len()) {
            (0, 0) => {}
            _ if items.is_empty() => record.note().clear_list(),
            (0, 1) if inserted.end < items.len() => {
                record.note().insert(inserted.start, &items[inserted.start]);
            }
            (0, _) if inserted.end == items.len() => {
                for item in &items[inserted] {
                    record.note().add(item);
                }
            }
            (1, 0) => record.note().remove_at(removed.start),
            (count, _) => record.note().splice(removed.start, count, &items[inserted]),
        }
        self.limit();
    }
}

/// Returns the bounds of a range as positions, the end exclusive.
#[track_caller]
fn bounds(range: &impl RangeBounds<usize>, length: usize) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => length,
    };
    assert!(
        start <= end && end <= length,
        "the range {start}..{end} does not lie in a list of {length} elements"
    );
    (start, end)
}
