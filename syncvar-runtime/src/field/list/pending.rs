//! Pending changes of a list, one element each.

use super::SyncList;
use super::log::Operation;
use crate::SyncValue;

/// One pending change of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListEdit<T> {
    /// An element was added at the end.
    Add {
        /// Position of the element.
        index: usize,
        /// The element.
        value: T,
    },
    /// The list was cleared.
    Clear,
    /// An element was inserted before the end.
    Insert {
        /// Position of the element.
        index: usize,
        /// The element.
        value: T,
    },
    /// An element was removed.
    RemoveAt {
        /// Position of the element.
        index: usize,
    },
    /// An element was replaced.
    Set {
        /// Position of the element.
        index: usize,
        /// The new element.
        value: T,
    },
}

impl<T: SyncValue> SyncList<T> {
    /// Returns the changes since the last send of the list, or since [`clear_dirty`](Self::clear_dirty),
    /// one element each. Applied in order to the previous list, they produce the present list.
    ///
    /// The list keeps the difference, not the calls: every removed element is a
    /// [`RemoveAt`](crate::field::ListEdit::RemoveAt), by whichever method; a position that was set several times
    /// is one [`Set`](crate::field::ListEdit::Set); a clear discards the changes before it. A list that will be sent
    /// as a whole is a [`Clear`](crate::field::ListEdit::Clear) and an [`Add`](crate::field::ListEdit::Add) for each element.
    pub fn pending_edits(&self) -> Vec<ListEdit<T>> {
        let mut edits = Edits {
            operations: Vec::new(),
            length: 0,
        };
        match self.record.changes() {
            Some(log) => {
                edits.length = length_before(&log.operations, self.items.len());
                log.operations
                    .iter()
                    .for_each(|operation| edits.apply(operation));
            }
            None if self.is_dirty() => {
                edits.apply(&Operation::Clear);
                edits.put(0, &self.items);
            }
            None => {}
        }
        edits.operations
    }
}

/// Returns the length of a list before these operations. If the first one is a clear, any length is
/// valid.
fn length_before<T>(operations: &[Operation<T>], length: usize) -> usize {
    let (mut added, mut removed) = (0, 0);
    for operation in operations {
        match operation {
            Operation::Add(_) | Operation::Insert(..) => added += 1,
            Operation::RemoveAt(_) => removed += 1,
            Operation::Splice(_, count, values) => {
                added += values.len();
                removed += count;
            }
            Operation::Remove(runs) => removed += runs.iter().map(|(_, go)| go).sum::<usize>(),
            Operation::Clear | Operation::Set(..) => {}
        }
    }
    (length + removed).saturating_sub(added)
}

/// Edits so far, and the length of the list after them.
struct Edits<T> {
    operations: Vec<ListEdit<T>>,
    length: usize,
}

impl<T: SyncValue> Edits<T> {
    fn apply(&mut self, operation: &Operation<T>) {
        match operation {
            Operation::Add(value) => self.put(self.length, std::slice::from_ref(value)),
            Operation::Clear => {
                self.operations.push(ListEdit::Clear);
                self.length = 0;
            }
            Operation::Insert(index, value) => self.put(*index, std::slice::from_ref(value)),
            Operation::RemoveAt(index) => self.take(*index, 1),
            Operation::Set(index, value) => self.set(*index, std::slice::from_ref(value)),
            Operation::Splice(index, removed, values) => {
                let (set, new) = values.split_at(values.len().min(*removed));
                self.set(*index, set);
                let behind = index + set.len();
                self.take(behind, removed - set.len());
                self.put(behind, new);
            }
            Operation::Remove(runs) => {
                let mut index = 0;
                for (stay, go) in runs {
                    index += stay;
                    self.take(index, *go);
                }
            }
        }
    }

    fn set(&mut self, index: usize, values: &[T]) {
        for (index, value) in (index..).zip(values) {
            let value = value.clone();
            self.operations.push(ListEdit::Set { index, value });
        }
    }

    fn take(&mut self, index: usize, count: usize) {
        let gone = std::iter::repeat_n(ListEdit::RemoveAt { index }, count);
        self.operations.extend(gone);
        self.length = self.length.saturating_sub(count);
    }

    /// Inserts new elements; adds them if the position is the end.
    fn put(&mut self, index: usize, values: &[T]) {
        for (index, value) in (index..).zip(values) {
            let value = value.clone();
            self.operations.push(if index == self.length {
                ListEdit::Add { index, value }
            } else {
                ListEdit::Insert { index, value }
            });
            self.length += 1;
        }
    }
}
