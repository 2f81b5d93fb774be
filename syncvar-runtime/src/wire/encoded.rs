//! Bytes of every operation in an [`Encoding`]. Every byte-level choice of a field's encoding is made here.
//!
//! `Unet` writes the fields of a behaviour as UNet's weaver does: integers of up to 32 bits packed
//! after sign extension, 64-bit integers packed, enumerations in four fixed bytes, counts and lengths in
//! two. Its source is the layout that the real HLAPI 1.1.1 emits.
//!
//! `Compact` writes every integer, count and length as a variable-length integer, signed integers as
//! zigzag. It belongs to `syncvar`. Both tables are in WIRE.md.
//!
//! `Mirror` writes a value as Mirror's weaver chooses for its C# type: a variable form for integers of 32 and
//! 64 bits, a fixed form for narrower integers and for integers behind the flag of an `Option`. A length or
//! count is written plus one; 0 stands for null. Its table is in the WIRE.md of
//! `syncvar-mirror`.
#![expect(
    clippy::inline_always,
    reason = "left to itself the compiler makes calls of these, which costs a third of the time"
)]

mod length;
mod width;

use super::varint::{unzigzag, unzigzag_128, zigzag, zigzag_128};
use super::{Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

impl NetworkWriter {
    /// Writes a signed integer of up to 32 bits, as a field. In `Unet` it is reinterpreted as unsigned and
    /// packed, so that every negative number takes five bytes.
    #[inline(always)]
    pub(crate) fn write_signed(&mut self, value: i32) {
        match self.encoding() {
            Encoding::Unet => self.write_packed_u32(value.cast_unsigned()),
            Encoding::Compact => self.write_varint(zigzag(i64::from(value))),
            Encoding::Mirror => self.write_mirror_number(zigzag(i64::from(value))),
        }
    }

    /// Writes an unsigned integer of up to 32 bits, as a field.
    #[inline(always)]
    pub(crate) fn write_unsigned(&mut self, value: u32) {
        match self.encoding() {
            Encoding::Unet => self.write_packed_u32(value),
            Encoding::Compact => self.write_varint(u64::from(value)),
            Encoding::Mirror => self.write_mirror_number(u64::from(value)),
        }
    }

    /// Writes a signed integer of 64 bits, as a field.
    #[inline(always)]
    pub(crate) fn write_signed_wide(&mut self, value: i64) {
        match self.encoding() {
            Encoding::Unet => self.write_packed_u64(value.cast_unsigned()),
            Encoding::Compact => self.write_varint(zigzag(value)),
            Encoding::Mirror => self.write_mirror_number(zigzag(value)),
        }
    }

    /// Writes an unsigned integer of 64 bits, as a field.
    #[inline(always)]
    pub(crate) fn write_unsigned_wide(&mut self, value: u64) {
        match self.encoding() {
            Encoding::Unet => self.write_packed_u64(value),
            Encoding::Compact => self.write_varint(value),
            Encoding::Mirror => self.write_mirror_number(value),
        }
    }

    /// Writes a signed integer of 128 bits, as a field. UNet has none: in `Unet` it takes 16 bytes.
    pub(crate) fn write_signed_128(&mut self, value: i128) {
        match self.encoding() {
            Encoding::Unet | Encoding::Mirror => self.write_array(value.to_le_bytes()),
            Encoding::Compact => self.write_varint_128(zigzag_128(value)),
        }
    }

    /// Writes an unsigned integer of 128 bits, as a field. UNet has none: in `Unet` it takes 16 bytes.
    pub(crate) fn write_unsigned_128(&mut self, value: u128) {
        match self.encoding() {
            Encoding::Unet | Encoding::Mirror => self.write_array(value.to_le_bytes()),
            Encoding::Compact => self.write_varint_128(value),
        }
    }

    /// Writes the dirty mask of a class level. In a base it includes the bits of derived classes, as UNet
    /// repeats the whole mask at every level.
    ///
    /// In `Mirror` the mask of the collections goes into the bytes reserved before them, and
    /// the mask of the remaining fields here, if the class has such fields.
    #[inline(always)]
    pub fn write_dirty_bits(&mut self, dirty_bits: u64) {
        let dirty_bits = dirty_bits | self.context.derived_bits;
        match self.encoding() {
            Encoding::Unet => self.write_packed_u64(dirty_bits),
            Encoding::Compact => self.write_varint(dirty_bits),
            Encoding::Mirror => self.write_packed_mask(dirty_bits),
        }
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_signed`]; `target` names the type for an error.
    #[inline(always)]
    pub(crate) fn read_signed<T>(&mut self, target: &'static str) -> Result<T, ReadError>
    where
        T: TryFrom<i64>,
    {
        let start = self.mark();
        let value = match self.encoding() {
            Encoding::Unet => i64::from(self.read_packed_u32()?.cast_signed()),
            Encoding::Compact => unzigzag(self.read_varint()?),
            Encoding::Mirror => unzigzag(self.read_mirror_number()?),
        };
        match T::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => Err(self.out_of_range(start, value.cast_unsigned(), target)),
        }
    }

    /// Counterpart of [`NetworkWriter::write_unsigned`]; `target` names the type for an error.
    #[inline(always)]
    pub(crate) fn read_unsigned<T>(&mut self, target: &'static str) -> Result<T, ReadError>
    where
        T: TryFrom<u64>,
    {
        let start = self.mark();
        let value = match self.encoding() {
            Encoding::Unet => u64::from(self.read_packed_u32()?),
            Encoding::Compact => self.read_varint()?,
            Encoding::Mirror => self.read_mirror_number()?,
        };
        match T::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => Err(self.out_of_range(start, value, target)),
        }
    }

    /// Counterpart of [`NetworkWriter::write_signed_wide`].
    #[inline(always)]
    pub(crate) fn read_signed_wide(&mut self) -> Result<i64, ReadError> {
        match self.encoding() {
            Encoding::Unet => self.read_packed_u64().map(u64::cast_signed),
            Encoding::Compact => self.read_varint().map(unzigzag),
            Encoding::Mirror => self.read_mirror_number().map(unzigzag),
        }
    }

    /// Counterpart of [`NetworkWriter::write_unsigned_wide`].
    #[inline(always)]
    pub(crate) fn read_unsigned_wide(&mut self) -> Result<u64, ReadError> {
        match self.encoding() {
            Encoding::Unet => self.read_packed_u64(),
            Encoding::Compact => self.read_varint(),
            Encoding::Mirror => self.read_mirror_number(),
        }
    }

    /// Counterpart of [`NetworkWriter::write_signed_128`].
    pub(crate) fn read_signed_128(&mut self) -> Result<i128, ReadError> {
        match self.encoding() {
            Encoding::Unet | Encoding::Mirror => self.read_array().map(i128::from_le_bytes),
            Encoding::Compact => self.read_varint_128().map(unzigzag_128),
        }
    }

    /// Counterpart of [`NetworkWriter::write_unsigned_128`].
    pub(crate) fn read_unsigned_128(&mut self) -> Result<u128, ReadError> {
        match self.encoding() {
            Encoding::Unet | Encoding::Mirror => self.read_array().map(u128::from_le_bytes),
            Encoding::Compact => self.read_varint_128(),
        }
    }

    /// Counterpart of [`NetworkWriter::write_dirty_bits`]; `known_bits` are the bits of this class and its
    /// bases. In `Mirror` it returns the bits of the part that is read: the collections or the remaining
    /// fields.
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when a bit belongs to no field. UNet ignores such a bit and
    /// misreads its value; Mirror skips it, and so does this function in `Mirror`.
    #[inline(always)]
    pub fn read_dirty_bits(&mut self, known_bits: u64) -> Result<u64, ReadError> {
        let start = self.mark();
        let dirty_bits = match self.encoding() {
            Encoding::Unet => self.read_packed_u64()?,
            Encoding::Compact => self.read_varint()?,
            Encoding::Mirror => return self.read_packed_mask(known_bits),
        };
        let known_bits = known_bits | self.context.derived_bits;
        let unknown = dirty_bits & !(known_bits & self.context.fields);
        if unknown != 0 {
            let kind = match dirty_bits & !known_bits {
                0 => ReadErrorKind::RefusedFields { fields: unknown },
                unknown => ReadErrorKind::UnknownDirtyBits { unknown },
            };
            return Err(self.error_since(start, kind));
        }
        self.report.seen |= dirty_bits;
        Ok(dirty_bits)
    }
}
