//! `ValueForm`: the form of a variable's value on the wire.

use super::{NetworkReader, NetworkWriter, ReadResult};
use crate::schema::TypeSchema;

/// Form of a value on the wire: that of its type, or that of a codec.
pub trait ValueForm<T> {
    /// Type in the schema.
    const SCHEMA: TypeSchema;

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

    /// Reads into an existing value; returns the previous value if it differs.
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
