//! The changes of a list as UNet's operations.

use super::SyncList;
use super::log::Operation;
use crate::{ListOperation, SyncValue};

impl<T: SyncValue> SyncList<T> {
    /// Returns the changes since the last send, or since [`clear_dirty`](Self::clear_dirty), as
    /// the operations for which UNet sends a [`SyncListMessage`](crate::SyncListMessage) each. Applied
    /// one after another to the former list, they produce the present one.
    ///
    /// The log holds differences, not calls: a removed element is a
    /// `RemoveAt`, however it was found; a position that was set several times is one `Set`; a clear
    /// cancels the operations before it. A list that is due as a snapshot is a `Clear` and an `Add` for each
    /// element. `Remove` and `Dirty` do not occur.
    ///
    /// A [`NetworkServer`](crate::NetworkServer) makes its lists clean with every update; ask before it.
    ///
    /// ```
    /// use syncvar_runtime::{ListOperation, SyncList};
    ///
    /// let mut list = SyncList::from(["axe".to_string()]);
    /// list.clear_dirty();
    /// list.push("bow".into());
    /// list.retain(|item| item != "axe");
    /// let operations = list.unet_operations();
    /// let add = ListOperation::Add { index: 1, value: "bow".into() };
    /// assert_eq!(operations, [add, ListOperation::RemoveAt { index: 0 }]);
    /// ```
    pub fn unet_operations(&self) -> Vec<ListOperation<T>> {
        let mut told = Told {
            operations: Vec::new(),
            length: 0,
        };
        match self.record.changes() {
            Some(log) => {
                told.length = length_before(&log.operations, self.items.len());
                log.operations
                    .iter()
                    .for_each(|operation| told.tell(operation));
            }
            None if self.is_dirty() => {
                told.tell(&Operation::Clear);
                told.put(0, &self.items);
            }
            None => {}
        }
        told.operations
    }
}

/// Returns the length of a list before these operations. A clear can only be the first
/// operation, and makes the length irrelevant.
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

/// Reported operations, and the length of the list after them.
struct Told<T> {
    operations: Vec<ListOperation<T>>,
    length: usize,
}

impl<T: SyncValue> Told<T> {
    fn tell(&mut self, operation: &Operation<T>) {
        match operation {
            Operation::Add(value) => self.put(self.length, std::slice::from_ref(value)),
            Operation::Clear => {
                self.operations.push(ListOperation::Clear);
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
            self.operations.push(ListOperation::Set { index, value });
        }
    }

    fn take(&mut self, index: usize, count: usize) {
        let gone = std::iter::repeat_n(ListOperation::RemoveAt { index }, count);
        self.operations.extend(gone);
        self.length = self.length.saturating_sub(count);
    }

    /// New elements, which are added if they are behind all others.
    fn put(&mut self, index: usize, values: &[T]) {
        for (index, value) in (index..).zip(values) {
            let value = value.clone();
            self.operations.push(if index == self.length {
                ListOperation::Add { index, value }
            } else {
                ListOperation::Insert { index, value }
            });
            self.length += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ListOperation, SyncList};

    /// A list of the numbers below 20, and the same to be changed.
    fn pair() -> (SyncList<i32>, SyncList<i32>) {
        let mut list: SyncList<i32> = (0..20).collect();
        list.clear_dirty();
        (list.clone(), list)
    }

    type Change = (&'static str, fn(&mut SyncList<i32>));

    #[test]
    fn m5_every_change_of_a_list_can_be_told_in_the_operations_of_unet() {
        let changes: &[Change] = &[
            ("push", |list| list.push(5)),
            ("insert", |list| list.insert(3, 5)),
            ("pop", |list| {
                list.pop();
            }),
            ("remove", |list| {
                list.remove(4);
            }),
            ("swap_remove", |list| {
                list.swap_remove(2);
            }),
            ("set", |list| {
                list.set(9, -1);
            }),
            ("for_each_mut", |list| list.for_each_mut(|item| *item *= 2)),
            ("swap", |list| list.swap(1, 8)),
            ("clear", SyncList::clear),
            ("truncate", |list| list.truncate(3)),
            ("resize", |list| list.resize(33, 7)),
            ("shorter", |list| drop(list.splice(2..7, [1, 2]))),
            ("longer", |list| drop(list.splice(2..4, [1, 2, 3, 4]))),
            ("at the end", |list| drop(list.splice(8.., [1, 2, 3, 4]))),
            ("retain", |list| list.retain(|item| item % 3 == 1)),
            ("reverse", SyncList::reverse),
            ("update", |list| list.update(|items| items.rotate_left(3))),
            ("set_dirty", SyncList::set_dirty),
            ("clear and push", |list| {
                list.clear();
                list.push(1);
            }),
        ];
        for (name, first) in changes {
            for (next_name, next) in changes {
                let (mut former, mut list) = pair();
                first(&mut list);
                if list.len() > 9 {
                    next(&mut list);
                }
                let operations = list.unet_operations();
                assert_eq!(operations.is_empty(), !list.is_dirty(), "{name}");
                for operation in operations {
                    if let ListOperation::Add { index, .. } = operation {
                        assert_eq!(index, former.len(), "{name}, {next_name}");
                    }
                    operation.apply(&mut former).expect("it makes sense");
                }
                assert_eq!(former, list, "{name}, {next_name}");
            }
        }
    }

    #[test]
    fn nothing_has_changed_in_a_list_that_is_clean() {
        let (_, list) = pair();
        assert_eq!(list.unet_operations(), []);
        assert_eq!(SyncList::from([1]).unet_operations(), [], "never sent");
    }
}
