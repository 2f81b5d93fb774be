//! Log of a map: the keys that have changed, or each operation in order.

use super::mirror::DictionaryOperation;
use crate::SyncValue;
use crate::field::keys::{Added, KeyMap, Keys};
use crate::field::record::{Note, keep};

impl<K: SyncValue, V: SyncValue, M: KeyMap<Key = K>> Note<'_, Keys<M>, DictionaryOperation<K, V>> {
    /// Records a new key.
    #[inline]
    pub(super) fn add(self, key: &K, value: &V) -> Added {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => return keys.add(key),
            Self::Operation(operations) => {
                keep(operations, || {
                    DictionaryOperation::Add(key.clone(), value.clone())
                });
            }
        }
        Added::New
    }

    /// Records a new value of a present key.
    #[inline]
    pub(super) fn change(self, key: &K, value: &V) {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => keys.change(key),
            Self::Operation(operations) => {
                keep(operations, || {
                    DictionaryOperation::Set(key.clone(), value.clone())
                });
            }
        }
    }

    /// Records the removal of a key.
    #[inline]
    pub(super) fn remove(self, key: &K) {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => keys.remove(key),
            Self::Operation(operations) => {
                keep(operations, || DictionaryOperation::Remove(key.clone()));
            }
        }
    }

    /// Records the removal of every key.
    #[inline]
    pub(super) fn clear_all(self) {
        match self {
            Self::Nothing => {}
            Self::Change(keys) => keys.clear_all(),
            Self::Operation(operations) => keep(operations, || DictionaryOperation::Clear),
        }
    }
}
