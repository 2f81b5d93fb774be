//! List in the encoding of Mirror.

use super::edited::{Edited, out_of_range};
use super::{ListChange, SyncList};
use crate::field::collection::{self, Changes, charge_changes, charge_relayed};
use crate::field::mirror::{self, ADD};
use crate::field::operation::Operation;
use crate::wire::budget::is_wasteful;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Numbers of the remaining operations.
const SET: u8 = 1;
const INSERT: u8 = 2;
const REMOVE_AT: u8 = 3;
const CLEAR: u8 = 4;

/// One operation on a list. A position is the position at its time.
#[derive(Clone, Debug)]
pub(super) enum ListOperation<T> {
    Add(T),
    Set(usize, T),
    Insert(usize, T),
    RemoveAt(usize),
    Clear,
}

impl<T: SyncValue> Operation for ListOperation<T> {
    const CLEAR: Self = Self::Clear;

    fn write(&self, writer: &mut NetworkWriter) {
        match self {
            Self::Add(value) => {
                writer.write_u8(ADD);
                value.write(writer);
            }
            Self::Set(index, value) => {
                writer.write_u8(SET);
                mirror::write_index(*index, writer);
                value.write(writer);
            }
            Self::Insert(index, value) => {
                writer.write_u8(INSERT);
                mirror::write_index(*index, writer);
                value.write(writer);
            }
            Self::RemoveAt(index) => {
                writer.write_u8(REMOVE_AT);
                mirror::write_index(*index, writer);
            }
            Self::Clear => writer.write_u8(CLEAR),
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        match reader.read_u8()? {
            ADD => T::read(reader).map(Self::Add),
            SET => Ok(Self::Set(mirror::read_index(reader)?, T::read(reader)?)),
            INSERT => Ok(Self::Insert(mirror::read_index(reader)?, T::read(reader)?)),
            REMOVE_AT => mirror::read_index(reader).map(Self::RemoveAt),
            CLEAR => Ok(Self::Clear),
            other => Err(collection::unknown_operation(reader, other)),
        }
    }
}

impl<T: SyncValue> SyncList<T> {
    pub(super) fn write_mirror_full(&self, writer: &mut NetworkWriter) {
        writer.report_elements::<T>(self.items.len(), 0);
        mirror::write_full(&self.record, &self.items, T::write, writer);
    }

    pub(super) fn write_mirror_delta(&self, writer: &mut NetworkWriter) {
        mirror::write_delta(&self.record, &self.items, T::write, writer);
    }

    pub(super) fn read_mirror_full(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let count = mirror::read_count(reader)?;
        reader.charge::<T>(count)?;
        self.items.clear();
        if is_wasteful::<T>(self.items.capacity(), count) {
            self.items.shrink_to_fit();
        }
        self.items.reserve(reader.room::<T>(count));
        for _ in 0..count {
            let left = reader.remaining();
            self.items.push(T::read(reader)?);
            if reader.remaining() == left {
                reader.count_empty_element()?;
            }
        }
        self.record.set_ahead(reader.read_u32()?);
        Ok(())
    }

    pub(super) fn read_mirror_delta(
        &mut self,
        reader: &mut NetworkReader<'_>,
        mut reported: Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        self.settle();
        let operations = mirror::read_operations(reader)?;
        let Self { items, record } = self;
        let mut items = Edited::new(items, operations);
        for _ in 0..operations {
            let made = ListOperation::read(reader)?;
            if !record.passes_over() {
                let relayed = reader.is_relaying().then(|| record.relayed()).flatten();
                items.make(made, reader, relayed, &mut reported)?;
            }
        }
        Ok(())
    }

    /// Records an interrupted change, or the value of an element written by index, before the next change.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.record.is_unfinished() {
            self.settle_slowly();
        }
    }

    #[cold]
    fn settle_slowly(&mut self) {
        if self.record.is_open() {
            self.record.close().close(&self.items);
            return self.limit();
        }
        if let Some(operations) = self.record.settle() {
            operations.push(ListOperation::Clear);
            operations.extend(self.items.iter().cloned().map(ListOperation::Add));
        }
    }
}

impl<T: SyncValue> Edited<'_, T> {
    /// Applies an operation, and records it for the relay.
    fn make(
        &mut self,
        made: ListOperation<T>,
        reader: &mut NetworkReader<'_>,
        relayed: Option<&mut Vec<ListOperation<T>>>,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let length = self.len();
        // An insertion is possible behind the last element.
        let (places, grows) = match &made {
            ListOperation::Add(_) => (None, true),
            ListOperation::Insert(index, _) => (Some((*index, length + 1)), true),
            ListOperation::Set(index, _) | ListOperation::RemoveAt(index) => {
                (Some((*index, length)), false)
            }
            ListOperation::Clear => (None, false),
        };
        if let Some((index, places)) = places
            && index >= places
        {
            return Err(out_of_range(reader, index, length));
        }
        if grows {
            reader.check_elements(length + 1)?;
            reader.charge::<T>(1)?;
        }
        charge_changes(reader, reported.as_deref(), 1)?;
        if relayed.is_some() {
            charge_relayed::<ListOperation<T>>(reader)?;
        }
        let sent = relayed.map(|relayed| (relayed, made.clone()));
        let change = self.apply_made(made, reader, reported.is_some())?;
        if let Some((relayed, made)) = sent {
            relayed.push(made);
        }
        if let Some(reported) = reported {
            reported.extend(change);
        }
        Ok(())
    }

    /// Applies an operation whose position is valid. Returns the change for a hook, if `tell` is set.
    fn apply_made(
        &mut self,
        made: ListOperation<T>,
        reader: &mut NetworkReader<'_>,
        tell: bool,
    ) -> Result<Option<ListChange<T>>, ReadError> {
        let length = self.len();
        Ok(match made {
            ListOperation::Add(value) => {
                let change = tell.then(|| (length, value.clone()));
                self.push(value, reader)?;
                change.map(|(index, value)| ListChange::Add { index, value })
            }
            ListOperation::Insert(index, value) => {
                let change = tell.then(|| value.clone());
                self.insert(index, value, reader)?;
                change.map(|value| ListChange::Insert { index, value })
            }
            ListOperation::Set(index, value) => {
                let change = tell.then(|| value.clone());
                let Some(item) = self.get_mut(index) else {
                    return Err(out_of_range(reader, index, length));
                };
                let previous = std::mem::replace(item, value);
                change.map(|value| ListChange::Set {
                    index,
                    previous,
                    value,
                })
            }
            ListOperation::RemoveAt(index) => {
                let previous = self.remove(index, reader)?;
                tell.then_some(ListChange::RemoveAt { index, previous })
            }
            ListOperation::Clear => {
                let previous = self.clear();
                tell.then_some(ListChange::Clear { previous })
            }
        })
    }
}
