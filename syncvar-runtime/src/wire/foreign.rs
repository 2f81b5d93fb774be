//! Values of other crates: bytes, and, each behind its feature, glam, mint and uuid.

#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "mint")]
mod mint;

use bytes::Bytes;

use super::{NetworkReader, NetworkWriter, ReadError, SyncValue};
use crate::schema::TypeSchema;

/// As a `Vec<u8>`: the number of bytes, then the bytes as they are. What is read is a copy, for the
/// packet it came in is used again; bytes that are the same stay the ones they are.
#[diagnostic::do_not_recommend]
impl SyncValue for Bytes {
    const SCHEMA: TypeSchema = Vec::<u8>::SCHEMA;

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_byte_sequence(self);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_byte_sequence().map(Self::copy_from_slice)
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let bytes = reader.read_byte_sequence()?;
        if self != bytes {
            *self = Self::copy_from_slice(bytes);
        }
        Ok(())
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// 16 bytes, in the order of the text.
#[cfg(feature = "uuid")]
#[diagnostic::do_not_recommend]
impl SyncValue for uuid::Uuid {
    const SCHEMA: TypeSchema = TypeSchema::Named("Uuid");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_array(self.into_bytes());
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_array().map(Self::from_bytes)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Values that are so many numbers: each travels as it would alone, in this order.
#[cfg(any(feature = "glam", feature = "mint"))]
macro_rules! components {
    ($($type:ty: [$number:ty; $count:literal], $schema:expr, $to:expr, $from:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl crate::SyncValue for $type {
            const SCHEMA: crate::TypeSchema = $schema;

            #[inline]
            fn write(&self, writer: &mut crate::NetworkWriter) {
                let to: fn($type) -> [$number; $count] = $to;
                to(*self).write(writer);
            }

            #[inline]
            fn read(reader: &mut crate::NetworkReader<'_>) -> Result<Self, crate::ReadError> {
                let from: fn([$number; $count]) -> $type = $from;
                let mut components = [<$number>::default(); $count];
                components.read_in_place(reader)?;
                Ok(from(components))
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                let to: fn($type) -> [$number; $count] = $to;
                to(*self).same(&to(*other))
            }
        }
    )*};
}

#[cfg(any(feature = "glam", feature = "mint"))]
use components;
