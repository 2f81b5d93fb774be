//! `ValueForm`: the form of a variable's value on the wire.

use super::{NetworkReader, NetworkWriter, ReadResult, SyncValue};

/// Form of a value on the wire: that of its type, or that of a codec.
pub trait ValueForm<T> {
    /// Writes a value.
    fn write(value: &T, writer: &mut NetworkWriter);

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold one.
    fn read(reader: &mut NetworkReader<'_>) -> ReadResult<T>;

    /// Reads into an existing value.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold a value.
    fn read_in_place(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<()>;

    /// Reads into an existing value; returns the former one if it differs.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold a value.
    fn read_with_previous(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<Option<T>>;

    /// Copies a value.
    fn copy(value: &T) -> T;

    /// Returns whether two values travel as the same bytes.
    fn same(value: &T, other: &T) -> bool;
}

/// Form that a type has by itself.
#[derive(Clone, Copy, Debug)]
pub struct PlainForm;

impl<T: SyncValue> ValueForm<T> for PlainForm {
    #[inline]
    fn write(value: &T, writer: &mut NetworkWriter) {
        value.write(writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        T::read(reader)
    }

    #[inline]
    fn read_in_place(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        value.read_in_place(reader)
    }

    #[inline]
    fn read_with_previous(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<Option<T>> {
        value.read_with_previous(reader)
    }

    #[inline]
    fn copy(value: &T) -> T {
        value.clone()
    }

    #[inline]
    fn same(value: &T, other: &T) -> bool {
        value.same(other)
    }
}
