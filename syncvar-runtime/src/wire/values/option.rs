//! `Option`: a value that may be absent.

use crate::schema::TypeSchema;
use crate::wire::{Absence, Encoding, NetworkReader, NetworkWriter, ReadError, SyncValue};

/// One byte, 0 or 1, then the value after a 1. UNet lacks optional values: this layout belongs to `syncvar`.
/// In `Mirror` a value with a length or a count becomes null, by the [`Absence`] of its type.
impl<T: SyncValue> SyncValue for Option<T> {
    const SCHEMA: TypeSchema = TypeSchema::Optional(&T::SCHEMA);

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        if writer.encoding() == Encoding::Mirror {
            return write_nullable(self.as_ref(), writer);
        }
        writer.write_bool(self.is_some());
        if let Some(value) = self {
            value.write(writer);
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let mut value = None;
        value.read_in_place(reader)?;
        Ok(value)
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        match (is_present::<T>(reader)?, &mut *self) {
            (false, _) => *self = None,
            (true, _) if is_fixed::<T>(reader.encoding()) => *self = Some(T::read_fixed(reader)?),
            (true, Some(value)) => value.read_in_place(reader)?,
            (true, None) => *self = Some(T::read(reader)?),
        }
        Ok(())
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }
}

/// Returns whether the value behind a flag has a fixed form.
fn is_fixed<T: SyncValue>(encoding: Encoding) -> bool {
    encoding == Encoding::Mirror && T::ABSENCE == Absence::FlagOfFixed
}

/// Writes a value or null in `Mirror`.
fn write_nullable<T: SyncValue>(value: Option<&T>, writer: &mut NetworkWriter) {
    match (T::ABSENCE, value) {
        (Absence::Length, None) => writer.write_u16(0),
        (Absence::Count, None) => writer.write_u8(0),
        (Absence::Flag | Absence::FlagOfFixed, None) => writer.write_bool(false),
        (Absence::Length | Absence::Count, Some(value)) => value.write(writer),
        (Absence::Flag, Some(value)) => {
            writer.write_bool(true);
            value.write(writer);
        }
        (Absence::FlagOfFixed, Some(value)) => {
            writer.write_bool(true);
            value.write_fixed(writer);
        }
    }
}

/// Reads whether a value follows. A flag or a null is consumed; a length or a count above 0 is not.
#[inline]
fn is_present<T: SyncValue>(reader: &mut NetworkReader<'_>) -> Result<bool, ReadError> {
    let header = match (reader.encoding(), T::ABSENCE) {
        (Encoding::Mirror, Absence::Length) => NetworkReader::read_text_header,
        (Encoding::Mirror, Absence::Count) => NetworkReader::read_var_u64,
        _ => return reader.read_bool(),
    };
    let start = reader.left;
    let present = header(reader)? != 0;
    if present {
        reader.left = start;
    }
    Ok(present)
}
