//! Wire format of a list.
//!
//! A snapshot is a count, then the elements. A delta is a count of operations, then the operations; or a
//! count of 0, then the snapshot. WIRE.md, section 3.

use super::difference::{Around, changes};
use super::log::Operation;
use super::{ListChange, SyncList};
use crate::field::collection::{self, Changes, sync_field};
use crate::schema::TypeSchema;
use crate::{
    Encoding, HookField, NetworkReader, NetworkWriter, OperationLog, ReadError, ReadErrorKind,
    SyncField, SyncValue,
};

/// Numbers of the operations: UNet's, and two further ones.
const ADD: u8 = 0;
const CLEAR: u8 = 1;
const INSERT: u8 = 2;
const REMOVE_AT: u8 = 4;
const SET: u8 = 5;
const SPLICE: u8 = 6;
const REMOVE: u8 = 7;

sync_field!(SyncList<T> where (T: SyncValue), ListChange);

impl<T: SyncValue> SyncList<T> {
    fn write_items(&self, writer: &mut NetworkWriter) {
        T::write_slice(&self.items, writer);
    }

    fn write_changes(&self, writer: &mut NetworkWriter) {
        let log = self.record.changes().map(|log| {
            |writer: &mut NetworkWriter| {
                writer.write_operations(log.operations.len());
                for operation in &log.operations {
                    operation.write(writer);
                }
            }
        });
        collection::write_delta(writer, log, &self.items, T::write, |writer| {
            self.write_items(writer);
        });
    }

    fn read_items(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        T::read_slice(&mut self.items, reader)?;
        // Bytes are read without being counted.
        reader.check_elements(self.items.len())
    }

    fn read_changes(
        &mut self,
        reader: &mut NetworkReader<'_>,
        mut reported: Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let operations = reader.read_operations()?;
        if operations == 0 {
            return self.read_whole(reader, reported);
        }
        for _ in 0..operations {
            self.read_operation(reader, &mut reported)?;
        }
        Ok(())
    }

    fn read_whole(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let Some(reported) = reported else {
            return self.read_items(reader);
        };
        // Reads in place keep the members of elements that do not travel.
        let former = self.items.clone();
        self.read_items(reader)?;
        changes(former, &self.items, Around::default(), reported);
        Ok(())
    }

    fn copy_items(&self) -> Vec<T> {
        self.items.clone()
    }

    fn report_since(&self, former: Vec<T>, reported: &mut Vec<ListChange<T>>) {
        changes(former, &self.items, Around::default(), reported);
    }

    fn read_operation(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let (operation, index) = reader.read_operation()?;
        match operation {
            ADD => self.read_add(reader, reported),
            CLEAR => {
                let previous = std::mem::take(&mut self.items);
                if let Some(reported) = reported
                    && !previous.is_empty()
                {
                    reported.push(ListChange::Clear { previous });
                }
                Ok(())
            }
            INSERT => self.read_insert(reader, index, reported),
            REMOVE_AT => self.read_remove_at(reader, index, reported),
            SET => self.read_set(reader, index, reported),
            SPLICE => self.read_splice(reader, index, reported),
            REMOVE => self.read_runs(reader, index, reported),
            other => Err(collection::unknown_operation(reader, other)),
        }
    }

    fn read_add(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        reader.check_elements(self.items.len() + 1)?;
        let value = T::read(reader)?;
        if let Some(reported) = reported {
            let (index, value) = (self.items.len(), value.clone());
            reported.push(ListChange::Add { index, value });
        }
        self.items.push(value);
        Ok(())
    }

    fn read_insert(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        if index >= self.items.len() {
            return Err(self.out_of_range(reader, index));
        }
        reader.check_elements(self.items.len() + 1)?;
        let value = T::read(reader)?;
        if let Some(reported) = reported {
            let value = value.clone();
            reported.push(ListChange::Insert { index, value });
        }
        self.items.insert(index, value);
        Ok(())
    }

    fn read_set(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let Some(item) = self.items.get_mut(index) else {
            return Err(self.out_of_range(reader, index));
        };
        let Some(reported) = reported else {
            return item.read_in_place(reader);
        };
        if let Some(previous) = item.read_with_previous(reader)? {
            let value = item.clone();
            reported.push(ListChange::Set {
                index,
                previous,
                value,
            });
        }
        Ok(())
    }

    fn read_remove_at(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        if index >= self.items.len() {
            return Err(self.out_of_range(reader, index));
        }
        let previous = self.items.remove(index);
        if let Some(reported) = reported {
            reported.push(ListChange::RemoveAt { index, previous });
        }
        Ok(())
    }

    fn read_splice(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let removed = reader.read_number("removed elements")?;
        let mut values = Vec::new();
        T::read_slice(&mut values, reader)?;
        let end = index
            .checked_add(removed)
            .filter(|end| *end <= self.items.len());
        let Some(end) = end else {
            return Err(self.out_of_range(reader, index.saturating_add(removed)));
        };
        reader.check_elements(self.items.len() - removed + values.len())?;
        let Some(reported) = reported else {
            self.items.splice(index..end, values);
            return Ok(());
        };
        let around = Around {
            before: index,
            behind: self.items.len() - end,
        };
        let again = values.iter().cloned();
        let former = self.items.splice(index..end, again).collect();
        changes(former, &values, around, reported);
        Ok(())
    }

    fn read_runs(
        &mut self,
        reader: &mut NetworkReader<'_>,
        runs: usize,
        reported: &mut Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        if runs == 0 {
            return Err(collection::unknown_operation(reader, REMOVE));
        }
        let former = std::mem::take(&mut self.items);
        let length = former.len();
        let mut former = former.into_iter();
        let mut passed = 0_usize;
        for _ in 0..runs {
            let stay = reader.read_number("elements that stay")?;
            let go = reader.read_number("removed elements")?;
            passed = passed.saturating_add(stay).saturating_add(go);
            if go == 0 {
                // An empty run would take time without bytes.
                return Err(collection::unknown_operation(reader, REMOVE));
            }
            if passed > length {
                let index = passed;
                return Err(reader.error(ReadErrorKind::IndexOutOfRange { index, length }));
            }
            self.items.extend(former.by_ref().take(stay));
            let index = self.items.len();
            let gone = former.by_ref().take(go);
            match reported {
                Some(reported) => {
                    reported.extend(gone.map(|previous| ListChange::RemoveAt { index, previous }));
                }
                None => gone.for_each(drop),
            }
        }
        self.items.extend(former);
        Ok(())
    }

    #[cold]
    pub(super) fn out_of_range(&self, reader: &NetworkReader<'_>, index: usize) -> ReadError {
        let length = self.items.len();
        reader.error(ReadErrorKind::IndexOutOfRange { index, length })
    }
}

impl<T: SyncValue> Operation<T> {
    fn write(&self, writer: &mut NetworkWriter) {
        match self {
            Self::Add(value) => {
                writer.write_operation(ADD, 0);
                value.write(writer);
            }
            Self::Clear => writer.write_operation(CLEAR, 0),
            Self::Insert(index, value) => {
                writer.write_operation(INSERT, *index);
                value.write(writer);
            }
            Self::RemoveAt(index) => writer.write_operation(REMOVE_AT, *index),
            Self::Set(index, value) => {
                writer.write_operation(SET, *index);
                value.write(writer);
            }
            Self::Splice(index, removed, values) => {
                writer.write_operation(SPLICE, *index);
                writer.write_number(*removed);
                T::write_slice(values, writer);
            }
            Self::Remove(runs) => {
                writer.write_operation(REMOVE, runs.len());
                for (stay, go) in runs {
                    writer.write_number(*stay);
                    writer.write_number(*go);
                }
            }
        }
    }
}
