//! Lengths of values whose schema states no layout.

use crate::schema::TypeSchema;
use crate::wire::{Encoding, NetworkReader, SyncValue};

impl TypeSchema {
    /// Describes a type written by hand, whose schema states no layout. Its values are measured by reading them: so a
    /// client of a build whose struct lacks a field of this type passes over the value.
    ///
    /// A schema with a layout, such as [`TypeSchema::Struct`] of members with the same bytes, does more: values are then
    /// shown, converted and read by programs without the type.
    ///
    /// ```
    /// use syncvar::{SyncValue, schema::TypeSchema, wire::{NetworkReader, NetworkWriter, ReadError}};
    ///
    /// /// A percentage that takes one byte.
    /// #[derive(Clone)]
    /// struct Percent(u8);
    ///
    /// impl SyncValue for Percent {
    ///     const SCHEMA: TypeSchema = TypeSchema::measured::<Self>(&TypeSchema::Named("Percent"));
    ///
    ///     fn write(&self, writer: &mut NetworkWriter) {
    ///         writer.write_u8(self.0);
    ///     }
    ///     fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
    ///         reader.read_u8().map(Percent)
    ///     }
    ///     fn same(&self, other: &Self) -> bool {
    ///         self.0 == other.0
    ///     }
    /// }
    ///
    /// let TypeSchema::Measured { measure, .. } = Percent::SCHEMA else { panic!() };
    /// assert_eq!(measure(&[50, 7, 7], true), Some(1));
    /// assert_eq!(measure(&[], true), None);
    /// assert_eq!(Percent::SCHEMA.to_string(), "Percent measured");
    /// ```
    pub const fn measured<T: SyncValue>(schema: &'static Self) -> Self {
        Self::Measured {
            schema,
            measure: measure::<T>,
        }
    }
}

fn measure<T: SyncValue>(bytes: &[u8], is_compact: bool) -> Option<usize> {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::of_framing(is_compact));
    T::read(&mut reader).ok()?;
    bytes.len().checked_sub(reader.remaining())
}
