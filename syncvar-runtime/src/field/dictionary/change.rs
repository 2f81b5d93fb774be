//! `DictionaryChange`: a change of a map.

/// One change of a [`SyncDictionary`](crate::SyncDictionary), the argument of a hook on a client.
///
/// All changes have been applied when a hook runs. A key changes once per update, however often it
/// changed on the server in between. In the encoding `Mirror` the hook receives every operation in
/// order, even if a value is set to an equal value.
///
/// ```
/// use syncvar::fields::DictionaryChange;
///
/// let change = DictionaryChange::Set { key: "bow", previous: 12, value: 11 };
/// assert_eq!(change.key(), Some(&"bow"));
/// assert_eq!((change.previous(), change.value()), (Some(&12), Some(&11)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DictionaryChange<K, V> {
    /// A key was added.
    Add {
        /// The key.
        key: K,
        /// Its value.
        value: V,
    },
    /// An existing key has a new value.
    Set {
        /// The key.
        key: K,
        /// The previous value.
        previous: V,
        /// The new value.
        value: V,
    },
    /// A key was removed.
    Remove {
        /// The key.
        key: K,
        /// The previous value.
        previous: V,
    },
    /// All keys were removed.
    Clear {
        /// The previous entries.
        previous: Vec<(K, V)>,
    },
}

impl<K, V> DictionaryChange<K, V> {
    /// Returns the changed key; `None` for [`Clear`](Self::Clear).
    pub fn key(&self) -> Option<&K> {
        match self {
            Self::Add { key, .. } | Self::Set { key, .. } | Self::Remove { key, .. } => Some(key),
            Self::Clear { .. } => None,
        }
    }

    /// Returns the previous value of the key.
    pub fn previous(&self) -> Option<&V> {
        match self {
            Self::Set { previous, .. } | Self::Remove { previous, .. } => Some(previous),
            Self::Add { .. } | Self::Clear { .. } => None,
        }
    }

    /// Returns the new value of the key.
    pub fn value(&self) -> Option<&V> {
        match self {
            Self::Add { value, .. } | Self::Set { value, .. } => Some(value),
            Self::Remove { .. } | Self::Clear { .. } => None,
        }
    }
}
