//! Wire format of a list.
//!
//! A snapshot is a count, then the elements. A delta is a count of operations, then the operations; or a
//! count of 0, then the snapshot. WIRE.md, section 3.

use super::difference::{Around, changes};
use super::log::Operation;
use super::{ListChange, SyncList};
use crate::field::FieldPlace;
use crate::field::collection::{self, Changes, sync_field};
use crate::field::numbers::list::{ADD, CLEAR, INSERT, REMOVE, REMOVE_AT, SET, SPLICE};
use crate::schema::TypeSchema;
use crate::{
    Encoding, HookField, NetworkReader, NetworkWriter, OperationLog, ReadError, SyncField,
    SyncValue,
};

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

    pub(super) fn read_items(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        T::read_slice(&mut self.items, reader)?;
        // Bytes are read without being counted.
        reader.check_elements(self.items.len())
    }

    fn copy_items(&self) -> Vec<T> {
        self.items.clone()
    }

    fn report_since(&self, former: Vec<T>, reported: &mut Vec<ListChange<T>>) {
        changes(former, &self.items, Around::default(), reported);
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
