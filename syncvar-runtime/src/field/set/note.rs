//! Log of a set: the changed elements, or each operation in order.

use super::mirror::SetOperation;
use crate::SyncValue;
use crate::field::keys::{Added, KeyMap, Keys};
use crate::field::record::{Note, keep};

impl<T: SyncValue, M: KeyMap<Key = T>> Note<'_, Keys<M>, SetOperation<T>> {
    /// Records a new element.
    #[inline]
    pub(super) fn add(self, value: &T) -> Added {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => {
                let added = keys.add(value);
                if added == Added::Again {
                    keys.forget(value);
                }
                return added;
            }
            Self::Operation(operations) => keep(operations, || SetOperation::Add(value.clone())),
        }
        Added::New
    }

    /// Records the removal of an element.
    #[inline]
    pub(super) fn remove(self, value: &T) {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => keys.remove(value),
            Self::Operation(operations) => keep(operations, || SetOperation::Remove(value.clone())),
        }
    }

    /// Records the removal of every element.
    #[inline]
    pub(super) fn clear_all(self) {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => keys.clear_all(),
            Self::Operation(operations) => keep(operations, || SetOperation::Clear),
        }
    }
}
