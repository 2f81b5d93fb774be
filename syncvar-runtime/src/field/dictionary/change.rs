//! `DictionaryChange`: what has happened to a map.

/// One change of a [`SyncDictionary`](crate::SyncDictionary), as a hook on a client is told of it.
///
/// When a hook runs, all changes have been made. A key changes once with an update, whatever was done
/// to it on the server in between; in the encoding `Mirror` it is told of everything that was done, as it
/// was done, and a value can be set to the same.
///
/// ```
/// use syncvar::DictionaryChange;
///
/// let change = DictionaryChange::Set { key: "bow", previous: 12, value: 11 };
/// assert_eq!(change.key(), Some(&"bow"));
/// assert_eq!((change.previous(), change.value()), (Some(&12), Some(&11)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DictionaryChange<K, V> {
    /// A key is new.
    Add {
        /// The key.
        key: K,
        /// Its value.
        value: V,
    },
    /// A key that was there has another value.
    Set {
        /// The key.
        key: K,
        /// What its value was.
        previous: V,
        /// What it has become.
        value: V,
    },
    /// A key is gone.
    Remove {
        /// The key.
        key: K,
        /// What its value was.
        previous: V,
    },
    /// All keys are gone.
    Clear {
        /// What they were, with their values.
        previous: Vec<(K, V)>,
    },
}

impl<K, V> DictionaryChange<K, V> {
    /// The key that it concerns; `None` if that is all of them.
    pub fn key(&self) -> Option<&K> {
        match self {
            Self::Add { key, .. } | Self::Set { key, .. } | Self::Remove { key, .. } => Some(key),
            Self::Clear { .. } => None,
        }
    }

    /// What belonged to the key before.
    pub fn previous(&self) -> Option<&V> {
        match self {
            Self::Set { previous, .. } | Self::Remove { previous, .. } => Some(previous),
            Self::Add { .. } | Self::Clear { .. } => None,
        }
    }

    /// What belongs to the key since.
    pub fn value(&self) -> Option<&V> {
        match self {
            Self::Add { value, .. } | Self::Set { value, .. } => Some(value),
            Self::Remove { .. } | Self::Clear { .. } => None,
        }
    }
}
