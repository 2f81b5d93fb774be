//! Log of a list: coalesced differences, or each operation in order.

use super::log::{Log, Operation};
use super::mirror::ListOperation;
use crate::SyncValue;
use crate::field::record::{Note, keep};

impl<T: Clone> Note<'_, Log<T>, ListOperation<T>> {
    #[inline]
    pub(super) fn add(self, value: &T) {
        match self {
            Self::Nothing => {}
            Self::Change(log) => log.add(value.clone()),
            Self::Operation(operations) => keep(operations, || ListOperation::Add(value.clone())),
        }
    }

    #[inline]
    pub(super) fn insert(self, index: usize, value: &T) {
        match self {
            Self::Nothing => {}
            Self::Change(log) => log.insert(index, value.clone()),
            Self::Operation(operations) => {
                keep(operations, || ListOperation::Insert(index, value.clone()));
            }
        }
    }

    #[inline]
    pub(super) fn set(self, index: usize, value: &T) {
        match self {
            Self::Nothing => {}
            Self::Change(log) => log.set(index, value.clone()),
            Self::Operation(operations) => {
                keep(operations, || ListOperation::Set(index, value.clone()));
            }
        }
    }

    /// Records the previous value of an element as the last operation, see [`close`](Self::close).
    pub(super) fn open(self, index: usize, former: &T) {
        match self {
            Self::Nothing => {}
            Self::Change(log) => log.operations.push(Operation::Set(index, former.clone())),
            Self::Operation(operations) => {
                keep(operations, || ListOperation::Set(index, former.clone()));
            }
        }
    }

    /// Replaces the last operation, with the previous value of an element, by the present value if that differs.
    pub(super) fn close(self, items: &[T])
    where
        T: SyncValue,
    {
        let differs = |index: usize, former: &T| {
            let item = items.get(index)?;
            (!former.same(item)).then_some(item)
        };
        match self {
            Self::Nothing => {}
            Self::Change(log) => {
                if let Some(Operation::Set(index, former)) = log.operations.pop()
                    && let Some(item) = differs(index, &former)
                {
                    log.set(index, item.clone());
                }
            }
            Self::Operation(operations) => {
                if let Some(ListOperation::Set(index, former)) = operations.pop()
                    && let Some(item) = differs(index, &former)
                {
                    operations.push(ListOperation::Set(index, item.clone()));
                }
            }
        }
    }

    #[inline]
    pub(super) fn remove_at(self, index: usize) {
        match self {
            Self::Nothing => {}
            Self::Change(log) => log.remove_at(index),
            Self::Operation(operations) => keep(operations, || ListOperation::RemoveAt(index)),
        }
    }

    #[inline]
    pub(super) fn clear_list(self) {
        match self {
            Self::Nothing => {}
            Self::Change(log) => log.clear_list(),
            Self::Operation(operations) => keep(operations, || ListOperation::Clear),
        }
    }

    /// Records the replacement of elements.
    #[inline]
    pub(super) fn splice(self, index: usize, removed: usize, values: &[T]) {
        let operations = match self {
            Self::Nothing => return,
            Self::Change(log) => return log.splice(index, removed, values.to_vec()),
            Self::Operation(operations) => operations,
        };
        let (set, new) = values.split_at(values.len().min(removed));
        for (index, value) in (index..).zip(set) {
            operations.push(ListOperation::Set(index, value.clone()));
        }
        let behind = index + set.len();
        let gone = removed - set.len();
        operations.extend(std::iter::repeat_n(ListOperation::RemoveAt(behind), gone));
        for (index, value) in (behind..).zip(new) {
            operations.push(ListOperation::Insert(index, value.clone()));
        }
    }

    /// Records the removal of runs of elements, pairs of a kept and a removed number; `all` if none is kept.
    #[inline]
    pub(super) fn remove(self, runs: Vec<(usize, usize)>, all: bool) {
        let operations = match self {
            Self::Nothing => return,
            Self::Change(log) if all => return log.clear_list(),
            Self::Change(log) => match runs[..] {
                [(index, 1)] => return log.remove_at(index),
                _ => return log.remove(runs),
            },
            Self::Operation(operations) => operations,
        };
        let mut index = 0;
        for (stay, go) in runs {
            index += stay;
            operations.extend(std::iter::repeat_n(ListOperation::RemoveAt(index), go));
        }
    }
}
