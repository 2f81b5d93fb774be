//! Wire format of a map.
//!
//! A snapshot is a count, then each key with its value. A delta is a count of operations, then the
//! operations; or a count of 0, then the snapshot. WIRE.md, section 3.

use std::hash::Hash;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::{DictionaryChange, SyncDictionary};
use crate::field::FieldPlace;
use crate::field::collection::{self, Changes, charge_changes, charge_entries, sync_field};
use crate::field::numbers::keyed::{CLEAR, PUT, REMOVE};
use crate::schema::TypeSchema;
use crate::wire::budget::{ENTRY, is_wasteful};
use crate::{
    Encoding, HashKey, HookField, NetworkReader, NetworkWriter, OperationLog, ReadError, SyncField,
    SyncValue,
};

sync_field!(
    SyncDictionary<K, V> where (K: HashKey, V: SyncValue),
    DictionaryChange
);

impl<K: SyncValue + Hash + Eq, V: SyncValue> SyncDictionary<K, V> {
    fn write_items(&self, writer: &mut NetworkWriter) {
        writer.report_elements::<(K, V)>(self.items.len(), ENTRY);
        if writer.write_count(self.items.len()) {
            for item in &self.items {
                write_item(item, writer);
            }
        }
    }

    fn write_changes(&self, writer: &mut NetworkWriter) {
        let log = self.record.changes().map(|log| {
            |writer: &mut NetworkWriter| {
                writer.write_operations(log.operations());
                if log.cleared() {
                    writer.write_operation(CLEAR, 0);
                }
                for key in log.iter() {
                    match self.items.get(key) {
                        Some(value) => {
                            writer.write_operation(PUT, 0);
                            write_item((key, value), writer);
                        }
                        None => {
                            writer.write_operation(REMOVE, 0);
                            key.write(writer);
                        }
                    }
                }
            }
        });
        collection::write_delta(writer, log, &self.items, write_item, |writer| {
            self.write_items(writer);
        });
    }

    fn holds_items_of(&self, other: &Self) -> bool {
        self.items.len() == other.items.len()
            && other
                .items
                .iter()
                .all(|(key, value)| self.holds(key, value))
    }

    fn holds(&self, key: &K, value: &V) -> bool {
        { self.items.get(key) }.is_some_and(|own| own.same(value))
    }

    /// Takes over the content of a second map. Returns whether it differed.
    fn take_items(&mut self, other: &Self) -> bool {
        if self.holds_items_of(other) {
            return false;
        }
        if other.items.is_empty() {
            self.clear();
        } else if self.items.keys().any(|key| !other.contains_key(key)) {
            self.retain(|key, _| other.contains_key(key));
        }
        for (key, value) in &other.items {
            if !self.holds(key, value) {
                self.insert(key.clone(), value.clone());
            }
        }
        true
    }

    fn take_log(&mut self, other: &Self) -> bool {
        let Some(log) = other.record.changes() else {
            return false;
        };
        if log.cleared() {
            self.clear();
        }
        for key in log.iter() {
            match other.items.get(key) {
                Some(value) if self.holds(key, value) => {}
                Some(value) => {
                    self.insert(key.clone(), value.clone());
                }
                None => {
                    self.remove(key);
                }
            }
        }
        true
    }

    fn read_items(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let mut former = std::mem::take(&mut self.items);
        self.read_into_empty(reader, |key| former.swap_remove(key))
    }

    fn read_changes(
        &mut self,
        reader: &mut NetworkReader<'_>,
        mut reported: Changes<'_, DictionaryChange<K, V>>,
    ) -> Result<(), ReadError> {
        let operations = reader.read_operations()?;
        if operations == 0 {
            let mut former = std::mem::take(&mut self.items);
            let Some(reported) = reported else {
                return self.read_into_empty(reader, |key| former.swap_remove(key));
            };
            // Values of previous keys are copied.
            reader.charge::<V>(former.len())?;
            self.read_into_empty(reader, |key| former.get(key).cloned())?;
            let count = former.len().saturating_add(self.items.len());
            charge_changes(reader, Some(&*reported), count)?;
            self.report(former, reported);
            return Ok(());
        }
        let mut read = Ok(());
        for _ in 0..operations {
            read = self.read_operation(reader, &mut reported);
            if read.is_err() {
                break;
            }
        }
        self.shrink();
        read
    }

    /// Releases memory that a peer has made the map take for a while.
    pub(super) fn shrink(&mut self) {
        if is_wasteful::<(K, V)>(self.items.capacity(), self.items.len()) {
            self.items.shrink_to_fit();
        }
    }

    /// Reads a snapshot into an empty map. The values of previous keys keep their memory.
    fn read_into_empty(
        &mut self,
        reader: &mut NetworkReader<'_>,
        former: impl FnMut(&K) -> Option<V>,
    ) -> Result<(), ReadError> {
        let count = reader.read_count()?;
        self.read_pairs(reader, count, former)
    }

    /// Reads `count` keys with their values into an empty map.
    pub(super) fn read_pairs(
        &mut self,
        reader: &mut NetworkReader<'_>,
        count: usize,
        mut former: impl FnMut(&K) -> Option<V>,
    ) -> Result<(), ReadError> {
        charge_entries::<(K, V)>(reader, count)?;
        self.items.reserve(reader.room::<(K, V)>(count));
        for _ in 0..count {
            let start = reader.position();
            let key = K::read(reader)?;
            let value = match former(&key) {
                Some(mut value) => {
                    value.read_in_place(reader)?;
                    value
                }
                None => V::read(reader)?,
            };
            if self.items.insert(key, value).is_some() {
                return Err(collection::twice(start));
            }
        }
        Ok(())
    }

    /// Collects the changes since a previous content.
    fn report(&self, mut former: IndexMap<K, V>, reported: &mut Vec<DictionaryChange<K, V>>) {
        if self.items.is_empty() {
            if !former.is_empty() {
                let previous = former.into_iter().collect();
                reported.push(DictionaryChange::Clear { previous });
            }
            return;
        }
        let mut new = Vec::new();
        for (key, value) in &self.items {
            let former = former.swap_remove_entry(key);
            let stays = |(k, v): &(K, V)| k.same(key) && v.same(value);
            if former.as_ref().is_some_and(stays) {
                continue;
            }
            let (key, value) = (key.clone(), value.clone());
            match former {
                Some((other, previous)) if !other.same(&key) => {
                    reported.push(DictionaryChange::Remove {
                        key: other,
                        previous,
                    });
                    new.push(DictionaryChange::Add { key, value });
                }
                Some((_, previous)) => new.push(DictionaryChange::Set {
                    key,
                    previous,
                    value,
                }),
                None => new.push(DictionaryChange::Add { key, value }),
            }
        }
        let gone = former.into_iter();
        reported.extend(gone.map(|(key, previous)| DictionaryChange::Remove { key, previous }));
        reported.append(&mut new);
    }

    fn copy_items(&self) -> Vec<(K, V)> {
        let items = self.items.iter();
        items
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    fn report_since(&self, former: Vec<(K, V)>, reported: &mut Vec<DictionaryChange<K, V>>) {
        self.report(former.into_iter().collect(), reported);
    }

    fn read_operation(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, DictionaryChange<K, V>>,
    ) -> Result<(), ReadError> {
        let (operation, _) = reader.read_operation()?;
        charge_changes(reader, reported.as_deref(), 1)?;
        match operation {
            PUT => self.read_put(reader, reported),
            CLEAR => {
                let previous = std::mem::take(&mut self.items);
                if let Some(reported) = reported
                    && !previous.is_empty()
                {
                    let previous = previous.into_iter().collect();
                    reported.push(DictionaryChange::Clear { previous });
                }
                Ok(())
            }
            REMOVE => {
                let start = reader.position();
                let key = K::read(reader)?;
                let Some(previous) = self.items.swap_remove(&key) else {
                    return Err(collection::absent(start));
                };
                if let Some(reported) = reported {
                    reported.push(DictionaryChange::Remove { key, previous });
                }
                Ok(())
            }
            other => Err(collection::unknown_operation(reader, other)),
        }
    }

    fn read_put(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, DictionaryChange<K, V>>,
    ) -> Result<(), ReadError> {
        let key = K::read(reader)?;
        let count = self.items.len();
        match self.items.entry(key) {
            Entry::Occupied(mut entry) => match reported {
                None => entry.get_mut().read_in_place(reader)?,
                Some(reported) => {
                    if let Some(previous) = entry.get_mut().read_with_previous(reader)? {
                        let (key, value) = (entry.key().clone(), entry.get().clone());
                        reported.push(DictionaryChange::Set {
                            key,
                            previous,
                            value,
                        });
                    }
                }
            },
            Entry::Vacant(entry) => {
                reader.check_elements(count + 1)?;
                charge_entries::<(K, V)>(reader, 1)?;
                let value = V::read(reader)?;
                if let Some(reported) = reported {
                    let (key, value) = (entry.key().clone(), value.clone());
                    reported.push(DictionaryChange::Add { key, value });
                }
                entry.insert(value);
            }
        }
        Ok(())
    }
}

pub(super) fn write_item<K: SyncValue, V: SyncValue>(
    (key, value): (&K, &V),
    writer: &mut NetworkWriter,
) {
    key.write(writer);
    value.write(writer);
}
