//! Sets in the encoding of Mirror.

use super::SetChange;
use super::storage::Items;
use crate::field::collection::{self, Changes, charge_changes, charge_entries, charge_relayed};
use crate::field::keys::Keys;
use crate::field::mirror::{self, ADD};
use crate::field::operation::Operation;
use crate::field::record::Record;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Numbers of the remaining operations.
const REMOVE: u8 = 1;
const CLEAR: u8 = 2;

/// One operation on a set.
#[derive(Clone, Debug)]
pub(super) enum SetOperation<T> {
    Add(T),
    Remove(T),
    Clear,
}

impl<T: SyncValue> Operation for SetOperation<T> {
    const CLEAR: Self = Self::Clear;

    fn write(&self, writer: &mut NetworkWriter) {
        match self {
            Self::Add(value) => {
                writer.write_u8(ADD);
                value.write(writer);
            }
            Self::Remove(value) => {
                writer.write_u8(REMOVE);
                value.write(writer);
            }
            Self::Clear => writer.write_u8(CLEAR),
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        match reader.read_u8()? {
            ADD => T::read(reader).map(Self::Add),
            REMOVE => T::read(reader).map(Self::Remove),
            CLEAR => Ok(Self::Clear),
            other => Err(collection::unknown_operation(reader, other)),
        }
    }
}

/// Reads a snapshot, and the number of coming operations that it contains. A repeated element
/// counts once, as in Mirror: its sets may distinguish elements that are equal here.
pub(super) fn read_full<I: Items>(
    items: &mut I,
    reader: &mut NetworkReader<'_>,
) -> Result<u32, ReadError>
where
    I::Item: SyncValue,
{
    let count = mirror::read_count(reader)?;
    charge_entries::<I::Item>(reader, count)?;
    *items = I::default();
    items.reserve(reader.room::<I::Item>(count));
    for _ in 0..count {
        let left = reader.remaining();
        items.put(I::Item::read(reader)?);
        if reader.remaining() == left {
            reader.count_empty_element()?;
        }
    }
    reader.read_u32()
}

pub(super) fn read_delta<I: Items>(
    items: &mut I,
    record: &mut Record<Keys<I::Changed>, SetOperation<I::Item>>,
    reader: &mut NetworkReader<'_>,
    mut reported: Changes<'_, SetChange<I::Item>>,
) -> Result<(), ReadError>
where
    I::Item: SyncValue,
{
    for _ in 0..mirror::read_operations(reader)? {
        let made = SetOperation::read(reader)?;
        if record.passes_over() {
            continue;
        }
        if let SetOperation::Add(value) = &made
            && !items.has(value)
        {
            reader.check_elements(items.len() + 1)?;
            charge_entries::<I::Item>(reader, 1)?;
        }
        charge_changes(reader, reported.as_deref(), 1)?;
        if reader.is_relaying()
            && let Some(operations) = record.relayed()
        {
            charge_relayed::<SetOperation<I::Item>>(reader)?;
            operations.push(made.clone());
        }
        let change = make(items, made, reported.is_some());
        if let Some(reported) = &mut reported {
            reported.extend(change);
        }
    }
    items.shrink();
    Ok(())
}

/// Applies an operation. Reports it even without effect.
fn make<I: Items>(
    items: &mut I,
    made: SetOperation<I::Item>,
    report: bool,
) -> Option<SetChange<I::Item>>
where
    I::Item: SyncValue,
{
    match made {
        SetOperation::Add(value) => {
            let again = report.then(|| value.clone());
            items.put(value);
            again.map(|value| SetChange::Add { value })
        }
        SetOperation::Remove(value) => {
            items.drop_out(&value);
            report.then_some(SetChange::Remove { value })
        }
        SetOperation::Clear => {
            let previous = std::mem::take(items);
            report.then(|| SetChange::Clear {
                previous: previous.into_iter().collect(),
            })
        }
    }
}
