//! `Notes`: values of the program in saves and journals.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

/// Values of the program by key, and the keys that changed since the last record of the journal.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    values: BTreeMap<Bytes, Bytes>,
    changed: BTreeSet<Bytes>,
}

impl Notes {
    /// Sets a value; an empty one removes the key.
    pub(crate) fn set(&mut self, key: Bytes, value: Bytes) {
        let is_same = match self.values.get(&key) {
            Some(known) => *known == value,
            None => value.is_empty(),
        };
        if is_same {
            return;
        }
        self.changed.insert(key.clone());
        if value.is_empty() {
            self.values.remove(&key);
        } else {
            self.values.insert(key, value);
        }
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&Bytes> {
        self.values.get(key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        self.values.iter()
    }

    /// Takes the changes for a record, with an empty value for a removed key.
    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = (Bytes, Bytes)> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        changed.map(|key| {
            let value = self.values.get(&key).cloned().unwrap_or_default();
            (key, value)
        })
    }

    /// Begins with the values of a save.
    pub(crate) fn restore(&mut self, values: BTreeMap<Bytes, Bytes>) {
        self.values = values;
        self.changed.clear();
    }
}
