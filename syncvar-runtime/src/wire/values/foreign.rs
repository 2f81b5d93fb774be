//! Values of foreign crates: bytes, and, each behind its feature, glam, mint and uuid.

#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "mint")]
mod mint;

use bytes::Bytes;

use crate::schema::TypeSchema;
#[cfg(feature = "uuid")]
use crate::wire::Encoding;
use crate::wire::{Absence, NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Form of a `Vec<u8>`: the number of bytes, then the bytes. A read copies, because the
/// packet's buffer is used again; equal bytes keep their buffer.
#[diagnostic::do_not_recommend]
impl SyncValue for Bytes {
    const SCHEMA: TypeSchema = Vec::<u8>::SCHEMA;
    const ABSENCE: Absence = Absence::Count;

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
        self.len() == other.len() && (self.is_empty() || self == other)
    }
}

/// 16 bytes, in the order of the text. In `Mirror` in the order of .NET's `Guid.ToByteArray`: the first three
/// groups of the text with their least significant byte first.
#[cfg(feature = "uuid")]
#[diagnostic::do_not_recommend]
impl SyncValue for uuid::Uuid {
    const SCHEMA: TypeSchema = TypeSchema::Named("Uuid");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_array(match writer.encoding() {
            Encoding::Mirror => self.to_bytes_le(),
            Encoding::Unet | Encoding::Compact => self.into_bytes(),
        });
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let bytes = reader.read_array()?;
        Ok(match reader.encoding() {
            Encoding::Mirror => Self::from_bytes_le(bytes),
            Encoding::Unet | Encoding::Compact => Self::from_bytes(bytes),
        })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Values in the form of a known type: an engine-neutral type with the same meaning, or several numbers.
#[cfg(any(feature = "glam", feature = "mint"))]
macro_rules! components {
    ($($type:ty: $plain:ty, $schema:expr, $to:expr, $from:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl crate::SyncValue for $type {
            const SCHEMA: crate::TypeSchema = $schema;

            #[inline]
            fn write(&self, writer: &mut crate::NetworkWriter) {
                let to: fn($type) -> $plain = $to;
                to(*self).write(writer);
            }

            #[inline]
            fn read(reader: &mut crate::NetworkReader<'_>) -> Result<Self, crate::ReadError> {
                let from: fn($plain) -> $type = $from;
                let mut plain = <$plain>::default();
                plain.read_in_place(reader)?;
                Ok(from(plain))
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                let to: fn($type) -> $plain = $to;
                to(*self).same(&to(*other))
            }
        }
    )*};
}

#[cfg(any(feature = "glam", feature = "mint"))]
use components;
