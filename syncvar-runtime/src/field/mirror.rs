//! Collections in Mirror's encoding: the common part.
//!
//! A snapshot is the number of elements, the elements, and the number of operations among them
//! that are still to be sent. A delta is the number of operations, and the operations in
//! order. All numbers have four bytes. WIRE.md of `syncvar-mirror`, section 3.

use super::operation::Operation;
use super::record::{Log, Record};
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind};

/// The number of the operation that puts an element in, in every collection.
pub(super) const ADD: u8 = 0;

/// Numbers of elements have four bytes.
const MAX_COUNT: usize = 0xffff_ffff;

/// Writes a number of elements, or of operations.
fn write_count(count: usize, writer: &mut NetworkWriter) {
    match u32::try_from(count) {
        Ok(count) => writer.write_u32(count),
        Err(_) => {
            let limit = MAX_COUNT;
            writer.fail(WriteErrorKind::TooManyElements { count, limit });
        }
    }
}

/// Writes a position.
pub(super) fn write_index(index: usize, writer: &mut NetworkWriter) {
    write_count(index, writer);
}

/// Counterpart of [`write_index`].
pub(super) fn read_index(reader: &mut NetworkReader<'_>) -> Result<usize, ReadError> {
    let index = reader.read_u32()?;
    Ok(usize::try_from(index).unwrap_or(usize::MAX))
}

/// Writes the full state.
pub(super) fn write_full<I, L: Log, O>(
    record: &Record<L, O>,
    items: impl IntoIterator<Item = I, IntoIter: ExactSizeIterator>,
    write_item: impl Fn(I, &mut NetworkWriter),
    writer: &mut NetworkWriter,
) {
    let items = items.into_iter();
    let count = items.len();
    write_count(count, writer);
    for item in items {
        write_item(item, writer);
    }
    let pending = pending(record, count);
    write_count(pending, writer);
    writer.report_pending(pending);
}

/// Writes the delta.
pub(super) fn write_delta<I, L: Log, O: Operation>(
    record: &Record<L, O>,
    items: impl IntoIterator<Item = I, IntoIter: ExactSizeIterator>,
    write_item: impl Fn(I, &mut NetworkWriter),
    writer: &mut NetworkWriter,
) {
    let items = items.into_iter();
    write_count(pending(record, items.len()), writer);
    for operation in record.operations() {
        operation.write(writer);
    }
    if record.is_refilled() {
        O::CLEAR.write(writer);
        for item in items {
            writer.write_u8(ADD);
            write_item(item, writer);
        }
    }
}

/// Returns the number of operations in the delta of a collection.
fn pending<L: Log, O>(record: &Record<L, O>, count: usize) -> usize {
    let refill = if record.is_refilled() { count + 1 } else { 0 };
    record.operations().len() + refill
}

/// Reads the number of elements.
pub(super) fn read_count(reader: &mut NetworkReader<'_>) -> Result<usize, ReadError> {
    let count = read_index(reader)?;
    reader.check_elements(count)?;
    Ok(count)
}

/// Reads the number of operations, at most the number of remaining bytes.
pub(super) fn read_operations(reader: &mut NetworkReader<'_>) -> Result<usize, ReadError> {
    let (needed, left) = (read_index(reader)?, reader.remaining());
    if needed > left {
        return Err(reader.error(ReadErrorKind::UnexpectedEnd { needed, left }));
    }
    Ok(needed)
}

#[cfg(test)]
mod tests;
