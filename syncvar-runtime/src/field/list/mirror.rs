//! List in the encoding of Mirror.

use super::{ListChange, SyncList};
use crate::field::collection::{self, Changes};
use crate::field::mirror::{self, ADD, Operation};
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Numbers of the other operations.
const SET: u8 = 1;
const INSERT: u8 = 2;
const REMOVE_AT: u8 = 3;
const CLEAR: u8 = 4;

/// One operation on a list. A position is the position at its time.
#[derive(Clone, Debug)]
pub(super) enum Made<T> {
    Add(T),
    Set(usize, T),
    Insert(usize, T),
    RemoveAt(usize),
    Clear,
}

impl<T: SyncValue> Operation for Made<T> {
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
        self.items.clear();
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
        for _ in 0..mirror::read_operations(reader)? {
            let made = Made::read(reader)?;
            if !self.record.passes_over() {
                self.make(made, reader, &mut reported)?;
            }
        }
        Ok(())
    }

    /// Applies an operation.
    fn make(
        &mut self,
        made: Made<T>,
        reader: &NetworkReader<'_>,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let length = self.items.len();
        // An insertion is possible behind the last element.
        let (places, grows) = match &made {
            Made::Add(_) => (None, true),
            Made::Insert(index, _) => (Some((*index, length + 1)), true),
            Made::Set(index, _) | Made::RemoveAt(index) => (Some((*index, length)), false),
            Made::Clear => (None, false),
        };
        if let Some((index, places)) = places
            && index >= places
        {
            return Err(self.out_of_range(reader, index));
        }
        if grows {
            reader.check_elements(length + 1)?;
        }
        if reader.is_relaying()
            && let Some(operations) = self.record.relayed()
        {
            operations.push(made.clone());
        }
        match reported {
            Some(reported) => reported.push(self.make_and_tell(made)),
            None => match made {
                Made::Add(value) => self.items.push(value),
                Made::Insert(index, value) => self.items.insert(index, value),
                Made::Set(index, value) => self.items[index] = value,
                Made::RemoveAt(index) => drop(self.items.remove(index)),
                Made::Clear => self.items.clear(),
            },
        }
        Ok(())
    }

    fn make_and_tell(&mut self, made: Made<T>) -> ListChange<T> {
        match made {
            Made::Add(value) => {
                let index = self.items.len();
                self.items.push(value.clone());
                ListChange::Add { index, value }
            }
            Made::Insert(index, value) => {
                self.items.insert(index, value.clone());
                ListChange::Insert { index, value }
            }
            Made::Set(index, value) => {
                let previous = std::mem::replace(&mut self.items[index], value.clone());
                ListChange::Set {
                    index,
                    previous,
                    value,
                }
            }
            Made::RemoveAt(index) => {
                let previous = self.items.remove(index);
                ListChange::RemoveAt { index, previous }
            }
            Made::Clear => {
                let previous = std::mem::take(&mut self.items);
                ListChange::Clear { previous }
            }
        }
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
            operations.push(Made::Clear);
            operations.extend(self.items.iter().cloned().map(Made::Add));
        }
    }
}
