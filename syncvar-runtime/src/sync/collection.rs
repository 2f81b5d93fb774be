//! What the collections have in common on the wire.

use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Where to put the changes that a hook is going to be told of, if there is one.
pub(super) type Changes<'a, C> = Option<&'a mut Vec<C>>;

/// Operations of so few bytes are sent even where the whole collection would be shorter: they tell a
/// client more.
const SHORT: usize = 64;

/// Writes what has changed: the operations, or the whole collection if there are none or if it is
/// shorter.
///
/// Whether it is shorter takes no longer to find out than the operations are long: it is written behind
/// them until it is as long.
pub(super) fn write_delta<I: Copy>(
    writer: &mut NetworkWriter,
    log: Option<impl FnOnce(&mut NetworkWriter)>,
    items: impl IntoIterator<Item = I>,
    write_item: impl Fn(I, &mut NetworkWriter),
    write_full: impl FnOnce(&mut NetworkWriter),
) {
    let start = writer.len();
    let had_error = writer.has_error();
    if let Some(write_log) = log {
        write_log(writer);
        let end = writer.len();
        let length = end.saturating_sub(start);
        let failed = !had_error && writer.has_error();
        if !failed && (length <= SHORT || !is_shorter(writer, length, items, write_item)) {
            return;
        }
        writer.truncate(start);
        if !had_error {
            // A value that has no form may be one that is no longer there.
            writer.take_error();
        }
    }
    writer.write_operations(0);
    write_full(writer);
}

/// Whether items take fewer bytes than that; leaves the writer as it was.
fn is_shorter<I: Copy>(
    writer: &mut NetworkWriter,
    length: usize,
    items: impl IntoIterator<Item = I>,
    write_item: impl Fn(I, &mut NetworkWriter),
) -> bool {
    let start = writer.len();
    let had_error = writer.has_error();
    let shorter = items.into_iter().all(|item| {
        write_item(item, writer);
        writer.len().saturating_sub(start) < length
    });
    writer.truncate(start);
    let failed = !had_error && writer.take_error().is_some();
    shorter && !failed
}

/// A number that stands for no operation of this collection.
#[cold]
pub(super) fn unknown_operation(reader: &NetworkReader<'_>, operation: u8) -> ReadError {
    let (what, value) = ("operation of a collection", operation.into());
    reader.error(ReadErrorKind::InvalidValue { what, value })
}

/// A key that came before in the same collection.
#[cold]
pub(super) fn twice(start: usize) -> ReadError {
    ReadError::new(ReadErrorKind::Custom("a key that comes twice"), start)
}

/// A key that is to be taken out and is not there.
#[cold]
pub(super) fn absent(start: usize) -> ReadError {
    let kind = ReadErrorKind::Custom("a key is removed that is not there");
    ReadError::new(kind, start)
}
