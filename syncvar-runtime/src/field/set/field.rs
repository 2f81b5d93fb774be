//! Wire format of sets.
//!
//! A snapshot is a count, then the elements. A delta is a count of operations, then the operations; or a count
//! of 0, then the snapshot. WIRE.md, section 3.

use super::mirror::{SetOperation, read_delta, read_full};
use super::storage::Items;
use super::{SetChange, SyncHashSet, SyncSortedSet};
use crate::field::FieldPlace;
use crate::field::collection::{self, Changes, charge_changes, charge_entries, sync_field};
use crate::field::keys::Keys;
use crate::field::mirror;
use crate::field::numbers::keyed::{CLEAR, PUT, REMOVE};
use crate::field::record::Record;
use crate::schema::TypeSchema;
use crate::wire::budget::ENTRY;
use crate::{
    Encoding, HashKey, HookField, NetworkReader, NetworkWriter, OperationLog, ReadError, SortKey,
    SyncField, SyncValue,
};

fn write_items<I: Items>(items: &I, writer: &mut NetworkWriter)
where
    I::Item: SyncValue,
{
    writer.report_elements::<I::Item>(items.len(), ENTRY);
    if writer.write_count(items.len()) {
        for value in items.iter() {
            value.write(writer);
        }
    }
}

fn write_changes<I: Items>(
    items: &I,
    record: &Record<Keys<I::Changed>, SetOperation<I::Item>>,
    writer: &mut NetworkWriter,
) where
    I::Item: SyncValue,
{
    let log = record.changes().map(|log| {
        |writer: &mut NetworkWriter| {
            writer.write_operations(log.operations());
            if log.cleared() {
                writer.write_operation(CLEAR, 0);
            }
            for value in log.iter() {
                let operation = if items.has(value) { PUT } else { REMOVE };
                writer.write_operation(operation, 0);
                value.write(writer);
            }
        }
    });
    collection::write_delta(writer, log, items.iter(), I::Item::write, |writer| {
        write_items(items, writer);
    });
}

/// Reads a snapshot into an empty set.
fn read_into_empty<I: Items>(items: &mut I, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>
where
    I::Item: SyncValue,
{
    let count = reader.read_count()?;
    charge_entries::<I::Item>(reader, count)?;
    items.reserve(reader.room::<I::Item>(count));
    for _ in 0..count {
        let start = reader.position();
        if !items.put(I::Item::read(reader)?) {
            return Err(collection::twice(start));
        }
    }
    Ok(())
}

fn read_items<I: Items>(items: &mut I, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>
where
    I::Item: SyncValue,
{
    *items = I::default();
    read_into_empty(items, reader)
}

fn read_changes<I: Items>(
    items: &mut I,
    reader: &mut NetworkReader<'_>,
    mut reported: Changes<'_, SetChange<I::Item>>,
) -> Result<(), ReadError>
where
    I::Item: SyncValue,
{
    let operations = reader.read_operations()?;
    if operations == 0 {
        let former = std::mem::take(items);
        read_into_empty(items, reader)?;
        if let Some(reported) = reported {
            let count = former.len().saturating_add(items.len());
            charge_changes(reader, Some(&*reported), count)?;
            report(former, items, reported);
        }
        return Ok(());
    }
    let mut read = Ok(());
    for _ in 0..operations {
        read = read_operation(items, reader, &mut reported);
        if read.is_err() {
            break;
        }
    }
    items.shrink();
    read
}

/// Collects the changes since a previous content.
fn report<I: Items>(former: I, items: &I, reported: &mut Vec<SetChange<I::Item>>)
where
    I::Item: SyncValue,
{
    if items.len() == 0 {
        let previous: Vec<_> = former.into_iter().collect();
        if !previous.is_empty() {
            reported.push(SetChange::Clear { previous });
        }
        return;
    }
    let stays = |set: &I, value: &I::Item| set.find(value).is_some_and(|other| other.same(value));
    let new = items.iter().filter(|value| !stays(&former, value)).cloned();
    let new: Vec<_> = new.map(|value| SetChange::Add { value }).collect();
    let gone = former.into_iter().filter(|value| !stays(items, value));
    reported.extend(gone.map(|value| SetChange::Remove { value }));
    reported.extend(new);
}

fn read_operation<I: Items>(
    items: &mut I,
    reader: &mut NetworkReader<'_>,
    reported: &mut Changes<'_, SetChange<I::Item>>,
) -> Result<(), ReadError>
where
    I::Item: SyncValue,
{
    let (operation, _) = reader.read_operation()?;
    let start = reader.position();
    charge_changes(reader, reported.as_deref(), 1)?;
    match operation {
        PUT => {
            reader.check_elements(items.len() + 1)?;
            charge_entries::<I::Item>(reader, 1)?;
            let value = I::Item::read(reader)?;
            let again = reported.is_some().then(|| value.clone());
            if !items.put(value) {
                return Err(collection::twice(start));
            }
            if let (Some(reported), Some(value)) = (reported, again) {
                reported.push(SetChange::Add { value });
            }
        }
        CLEAR => {
            let previous = std::mem::take(items);
            if let Some(reported) = reported
                && previous.len() > 0
            {
                let previous = previous.into_iter().collect();
                reported.push(SetChange::Clear { previous });
            }
        }
        REMOVE => {
            let value = I::Item::read(reader)?;
            if !items.drop_out(&value) {
                return Err(collection::absent(start));
            }
            if let Some(reported) = reported {
                reported.push(SetChange::Remove { value });
            }
        }
        other => return Err(collection::unknown_operation(reader, other)),
    }
    Ok(())
}

macro_rules! fields {
    ($($name:ident: $key:ident;)*) => {$(
        sync_field!($name<T> where (T: $key), SetChange);

        impl<T: $key> $name<T> {
            fn write_items(&self, writer: &mut NetworkWriter) {
                write_items(&self.items, writer);
            }

            fn write_changes(&self, writer: &mut NetworkWriter) {
                write_changes(&self.items, &self.record, writer);
            }

            fn holds_items_of(&self, other: &Self) -> bool {
                self.items.len() == other.items.len() && self.items.is_subset(&other.items)
            }

            /// Takes over the elements of a second set. Returns whether they differed.
            fn take_items(&mut self, other: &Self) -> bool {
                if self.holds_items_of(other) {
                    return false;
                }
                if other.items.is_empty() {
                    self.clear();
                } else if !self.items.is_subset(&other.items) {
                    self.retain(|value| other.contains(value));
                }
                for value in &other.items {
                    if !self.items.contains(value) {
                        self.insert(value.clone());
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
                for value in log.iter() {
                    if other.items.contains(value) {
                        self.insert(value.clone());
                    } else {
                        self.remove(value);
                    }
                }
                true
            }

            fn read_items(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                read_items(&mut self.items, reader)
            }

            fn read_changes(
                &mut self,
                reader: &mut NetworkReader<'_>,
                reported: Changes<'_, SetChange<T>>,
            ) -> Result<(), ReadError> {
                read_changes(&mut self.items, reader, reported)
            }

            fn write_mirror_full(&self, writer: &mut NetworkWriter) {
                writer.report_elements::<T>(self.items.len(), ENTRY);
                mirror::write_full(&self.record, &self.items, T::write, writer);
            }

            fn write_mirror_delta(&self, writer: &mut NetworkWriter) {
                mirror::write_delta(&self.record, &self.items, T::write, writer);
            }

            fn read_mirror_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                self.record.set_ahead(read_full(&mut self.items, reader)?);
                Ok(())
            }

            fn read_mirror_delta(
                &mut self,
                reader: &mut NetworkReader<'_>,
                reported: Changes<'_, SetChange<T>>,
            ) -> Result<(), ReadError> {
                self.settle();
                read_delta(&mut self.items, &mut self.record, reader, reported)
            }

            fn copy_items(&self) -> Vec<T> {
                self.items.iter().cloned().collect()
            }

            fn report_since(&self, former: Vec<T>, reported: &mut Vec<SetChange<T>>) {
                report(former.into_iter().collect(), &self.items, reported);
            }
        }
    )*};
}

fields! {
    SyncHashSet: HashKey;
    SyncSortedSet: SortKey;
}
