//! Received deltas of collections of values: WIRE.md, section 3.

use crate::field::numbers::{keyed, list};
use crate::field::{Edited, charge_entries, out_of_range};
use crate::translate::layout::{CollectionLayout, Layout};
use crate::value::{MapValue, SetValue, Value};
use crate::wire::budget::STEP;
use crate::{NetworkReader, ReadErrorKind, ReadResult};

/// Reads the delta of a collection into its value.
///
/// # Errors
///
/// When an operation does not fit the collection.
pub(super) fn read_delta(
    layout: &CollectionLayout,
    value: &mut Value,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<()> {
    let operations = reader.read_operations()?;
    if operations == 0 {
        *value = layout.read_whole(reader)?;
        return Ok(());
    }
    match (value, &*layout.parts) {
        (Value::List(elements), [element]) => {
            let mut elements = Edited::new(elements, operations);
            for _ in 0..operations {
                reader.take_work(STEP)?;
                read_list_operation(layout, element, &mut elements, reader)?;
            }
        }
        (Value::Map(entries), [key, of]) => {
            for _ in 0..operations {
                reader.take_work(STEP)?;
                read_map_operation(key, of, entries, reader)?;
            }
        }
        (Value::Set(elements), [element]) => {
            for _ in 0..operations {
                reader.take_work(STEP)?;
                read_set_operation(element, elements, reader)?;
            }
        }
        _ => return Err(reader.error(ReadErrorKind::Custom("a delta of no collection"))),
    }
    Ok(())
}

/// Returns the error for an unknown operation.
#[cold]
fn unknown<T>(reader: &NetworkReader<'_>, operation: u8) -> ReadResult<T> {
    let (what, value) = ("operation of a collection", operation.into());
    Err(reader.error(ReadErrorKind::InvalidValue { what, value }))
}

fn read_list_operation(
    collection: &CollectionLayout,
    layout: &Layout,
    elements: &mut Edited<'_, Value>,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<()> {
    let (operation, index) = reader.read_operation()?;
    let length = elements.len();
    match operation {
        list::ADD => {
            let value = read_new(layout, length, reader)?;
            elements.push(value, reader)
        }
        list::CLEAR => {
            elements.clear();
            Ok(())
        }
        list::INSERT => {
            if index >= length {
                return Err(out_of_range(reader, index, length));
            }
            let value = read_new(layout, length, reader)?;
            elements.insert(index, value, reader)
        }
        list::REMOVE_AT => elements.remove(index, reader).map(drop),
        list::SET => match elements.get_mut(index) {
            Some(element) => {
                *element = layout.read_value(reader)?;
                Ok(())
            }
            None => Err(out_of_range(reader, index, length)),
        },
        list::SPLICE => {
            let removed = reader.read_number("removed elements")?;
            let count = reader.read_count()?;
            let values = collection.in_whole(layout).read_many(count, reader)?;
            let end = index.checked_add(removed).filter(|end| *end <= length);
            let Some(end) = end else {
                let beyond = index.saturating_add(removed);
                return Err(out_of_range(reader, beyond, length));
            };
            reader.check_elements(length - removed + values.len())?;
            elements
                .splice(index..end, values.into_iter(), reader)
                .map(drop)
        }
        list::REMOVE => read_runs(elements, index, reader),
        other => unknown(reader, other),
    }
}

/// Reads a new element of a list with this length.
fn read_new(layout: &Layout, length: usize, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
    reader.check_elements(length + 1)?;
    reader.charge::<Value>(1)?;
    layout.read_value(reader)
}

/// Removes runs of elements.
fn read_runs(
    elements: &mut Edited<'_, Value>,
    runs: usize,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<()> {
    if runs == 0 {
        return unknown(reader, list::REMOVE);
    }
    if runs > 1 {
        elements.share_pass();
    }
    let mut index = 0_usize;
    for _ in 0..runs {
        let stay = reader.read_number("kept elements")?;
        let go = reader.read_number("removed elements")?;
        if go == 0 {
            return unknown(reader, list::REMOVE);
        }
        index = index.saturating_add(stay);
        let (end, length) = (index.saturating_add(go), elements.len());
        if end > length {
            return Err(out_of_range(reader, end, length));
        }
        elements.remove_run(index, go, reader, drop)?;
    }
    Ok(())
}

fn read_map_operation(
    key: &Layout,
    value: &Layout,
    entries: &mut MapValue,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<()> {
    let (operation, _) = reader.read_operation()?;
    match operation {
        keyed::PUT => {
            let own_key = key.read_value(reader)?;
            let own_value = value.read_value(reader)?;
            if let Some(place) = entries.get_mut(&own_key) {
                *place = own_value;
                return Ok(());
            }
            reader.check_elements(entries.len() + 1)?;
            charge_entries::<(Value, Value)>(reader, 1)?;
            entries.insert(own_key, own_value);
            Ok(())
        }
        keyed::CLEAR => {
            entries.clear();
            Ok(())
        }
        keyed::REMOVE => {
            let start = reader.mark();
            let own_key = key.read_value(reader)?;
            match entries.remove(&own_key) {
                Some(_) => Ok(()),
                None => Err(reader.error_since(start, ABSENT)),
            }
        }
        other => unknown(reader, other),
    }
}

fn read_set_operation(
    layout: &Layout,
    elements: &mut SetValue,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<()> {
    let (operation, _) = reader.read_operation()?;
    match operation {
        keyed::PUT => {
            let start = reader.mark();
            let element = layout.read_value(reader)?;
            reader.check_elements(elements.len() + 1)?;
            charge_entries::<Value>(reader, 1)?;
            if elements.insert(element) {
                Ok(())
            } else {
                Err(reader.error_since(start, TWICE))
            }
        }
        keyed::CLEAR => {
            elements.clear();
            Ok(())
        }
        keyed::REMOVE => {
            let start = reader.mark();
            let element = layout.read_value(reader)?;
            if elements.remove(&element) {
                Ok(())
            } else {
                Err(reader.error_since(start, ABSENT))
            }
        }
        other => unknown(reader, other),
    }
}

const ABSENT: ReadErrorKind = ReadErrorKind::Custom("a key is removed that is not there");
const TWICE: ReadErrorKind = ReadErrorKind::Custom("a key that comes twice");
