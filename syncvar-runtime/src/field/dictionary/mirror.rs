//! A map in the encoding of Mirror.

use std::hash::Hash;

use super::field::write_item;
use super::{DictionaryChange, SyncDictionary};
use crate::field::collection::{self, Changes, charge_changes, charge_entries, charge_relayed};
use crate::field::mirror::{self, ADD};
use crate::field::operation::Operation;
use crate::wire::budget::ENTRY;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Numbers of the remaining operations.
const SET: u8 = 1;
const REMOVE: u8 = 2;
const CLEAR: u8 = 3;

/// One operation on a map.
#[derive(Clone, Debug)]
pub(super) enum DictionaryOperation<K, V> {
    Add(K, V),
    Set(K, V),
    Remove(K),
    Clear,
}

impl<K: SyncValue, V: SyncValue> Operation for DictionaryOperation<K, V> {
    const CLEAR: Self = Self::Clear;

    fn write(&self, writer: &mut NetworkWriter) {
        match self {
            Self::Add(key, value) => {
                writer.write_u8(ADD);
                write_item((key, value), writer);
            }
            Self::Set(key, value) => {
                writer.write_u8(SET);
                write_item((key, value), writer);
            }
            Self::Remove(key) => {
                writer.write_u8(REMOVE);
                key.write(writer);
            }
            Self::Clear => writer.write_u8(CLEAR),
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        match reader.read_u8()? {
            ADD => Ok(Self::Add(K::read(reader)?, V::read(reader)?)),
            SET => Ok(Self::Set(K::read(reader)?, V::read(reader)?)),
            REMOVE => K::read(reader).map(Self::Remove),
            CLEAR => Ok(Self::Clear),
            other => Err(collection::unknown_operation(reader, other)),
        }
    }
}

impl<K: SyncValue + Hash + Eq, V: SyncValue> SyncDictionary<K, V> {
    pub(super) fn write_mirror_full(&self, writer: &mut NetworkWriter) {
        writer.report_elements::<(K, V)>(self.items.len(), ENTRY);
        mirror::write_full(&self.record, &self.items, write_item, writer);
    }

    pub(super) fn write_mirror_delta(&self, writer: &mut NetworkWriter) {
        mirror::write_delta(&self.record, &self.items, write_item, writer);
    }

    pub(super) fn read_mirror_full(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let count = mirror::read_count(reader)?;
        self.items.clear();
        self.read_pairs(reader, count, |_| None)?;
        self.record.set_ahead(reader.read_u32()?);
        Ok(())
    }

    pub(super) fn read_mirror_delta(
        &mut self,
        reader: &mut NetworkReader<'_>,
        mut reported: Changes<'_, DictionaryChange<K, V>>,
    ) -> Result<(), ReadError> {
        self.settle();
        for _ in 0..mirror::read_operations(reader)? {
            let made = DictionaryOperation::read(reader)?;
            if !self.record.passes_over() {
                self.make(made, reader, &mut reported)?;
            }
        }
        self.shrink();
        Ok(())
    }

    /// Applies an operation. The map decides whether a key is added or set,
    /// regardless of the operation; the removal of an absent key is ignored.
    fn make(
        &mut self,
        made: DictionaryOperation<K, V>,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, DictionaryChange<K, V>>,
    ) -> Result<(), ReadError> {
        let made = match made {
            DictionaryOperation::Add(key, value) | DictionaryOperation::Set(key, value) => {
                if self.items.contains_key(&key) {
                    DictionaryOperation::Set(key, value)
                } else {
                    reader.check_elements(self.items.len() + 1)?;
                    charge_entries::<(K, V)>(reader, 1)?;
                    DictionaryOperation::Add(key, value)
                }
            }
            DictionaryOperation::Remove(key) if !self.items.contains_key(&key) => return Ok(()),
            other => other,
        };
        charge_changes(reader, reported.as_deref(), 1)?;
        if reader.is_relaying()
            && let Some(operations) = self.record.relayed()
        {
            charge_relayed::<DictionaryOperation<K, V>>(reader)?;
            operations.push(made.clone());
        }
        match reported {
            Some(reported) => reported.extend(self.make_and_tell(made)),
            None => match made {
                DictionaryOperation::Add(key, value) | DictionaryOperation::Set(key, value) => {
                    self.items.insert(key, value);
                }
                DictionaryOperation::Remove(key) => {
                    self.items.swap_remove(&key);
                }
                DictionaryOperation::Clear => self.items.clear(),
            },
        }
        Ok(())
    }

    fn make_and_tell(&mut self, made: DictionaryOperation<K, V>) -> Option<DictionaryChange<K, V>> {
        Some(match made {
            DictionaryOperation::Add(key, value) | DictionaryOperation::Set(key, value) => {
                let former = self.items.insert(key.clone(), value.clone());
                match former {
                    Some(previous) => DictionaryChange::Set {
                        key,
                        previous,
                        value,
                    },
                    None => DictionaryChange::Add { key, value },
                }
            }
            DictionaryOperation::Remove(key) => {
                let previous = self.items.swap_remove(&key)?;
                DictionaryChange::Remove { key, previous }
            }
            DictionaryOperation::Clear => {
                let previous = std::mem::take(&mut self.items).into_iter().collect();
                DictionaryChange::Clear { previous }
            }
        })
    }

    /// Records an interrupted change before the next one.
    #[inline]
    pub(super) fn settle(&mut self) {
        if self.record.is_unfinished() {
            self.settle_slowly();
        }
    }

    #[cold]
    fn settle_slowly(&mut self) {
        if let Some(operations) = self.record.settle() {
            operations.push(DictionaryOperation::Clear);
            let items = self.items.iter();
            operations.extend(
                items.map(|(key, value)| DictionaryOperation::Add(key.clone(), value.clone())),
            );
        }
    }
}
