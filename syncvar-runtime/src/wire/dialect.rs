//! What bytes an operation becomes. Every byte-level choice of a field's encoding is made here.
//!
//! `Unet` writes the fields of a behaviour as UNet's weaver does: integers of up to 32 bits packed
//! after sign extension, 64-bit ones packed, enumerations in four fixed bytes, counts in two. Its
//! source is the layout that the real HLAPI 1.1.1 emits; the tables are in WIRE.md.

use super::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind};

/// Whose bytes are spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The layout of Unity's UNet HLAPI 1.1.1, as WIRE.md describes it.
    #[default]
    Unet,
    /// A layout of our own that takes fewer bytes.
    Compact,
}

/// The most elements that a sequence can have in the `Unet` dialect.
const MAX_COUNT: usize = 65_535;

/// The most elements of sequences in one message that take no byte each: members that do not travel
/// take memory all the same.
pub(super) const MAX_EMPTY_ELEMENTS: usize = 1024;

impl NetworkWriter {
    /// A signed integer of up to 32 bits, as a field: reinterpreted as unsigned and packed, so
    /// that every negative number takes five bytes.
    #[inline]
    pub(crate) fn write_signed(&mut self, value: i32) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.write_packed_u32(value.cast_unsigned()),
        }
    }

    /// An unsigned integer of up to 32 bits, as a field.
    #[inline]
    pub(crate) fn write_unsigned(&mut self, value: u32) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.write_packed_u32(value),
        }
    }

    /// A signed integer of 64 bits, as a field.
    #[inline]
    pub(crate) fn write_signed_wide(&mut self, value: i64) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.write_packed_u64(value.cast_unsigned()),
        }
    }

    /// An unsigned integer of 64 bits, as a field.
    #[inline]
    pub(crate) fn write_unsigned_wide(&mut self, value: u64) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.write_packed_u64(value),
        }
    }

    /// The number of a field-less enumeration's variant, in four bytes whatever its `repr`.
    #[inline]
    pub fn write_enum(&mut self, value: i32) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.write_i32(value),
        }
    }

    /// The position of a variant in an enumeration with data: our own layout, packed.
    #[inline]
    pub fn write_variant(&mut self, index: u32) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.write_packed_u32(index),
        }
    }

    /// The number of elements of a sequence, in two bytes.
    ///
    /// Returns whether the dialect can count that far; if not, the [`error`](Self::error) is set.
    pub fn write_count(&mut self, count: usize) -> bool {
        match (self.dialect(), u16::try_from(count)) {
            (Dialect::Unet | Dialect::Compact, Ok(count)) => {
                self.write_u16(count);
                true
            }
            (Dialect::Unet | Dialect::Compact, Err(_)) => {
                let limit = MAX_COUNT;
                self.fail(WriteErrorKind::TooManyElements { count, limit });
                false
            }
        }
    }

    /// Changes the bits of derived classes that go out with a base's mask; returns the former ones.
    pub(crate) fn replace_derived_bits(&mut self, change: impl FnOnce(u64) -> u64) -> u64 {
        let former = self.derived_bits;
        self.derived_bits = change(former);
        former
    }

    /// The dirty mask of one class level: packed, together with the bits of derived classes when
    /// a base is being written, as UNet repeats the whole mask at every level.
    #[inline]
    pub fn write_dirty_bits(&mut self, dirty_bits: u64) {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => {
                self.write_packed_u64(dirty_bits | self.derived_bits);
            }
        }
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_signed`].
    #[inline]
    pub(crate) fn read_signed(&mut self) -> Result<i32, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_packed_u32().map(u32::cast_signed),
        }
    }

    /// Counterpart of [`NetworkWriter::write_unsigned`].
    #[inline]
    pub(crate) fn read_unsigned(&mut self) -> Result<u32, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_packed_u32(),
        }
    }

    /// Counterpart of [`NetworkWriter::write_signed_wide`].
    #[inline]
    pub(crate) fn read_signed_wide(&mut self) -> Result<i64, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_packed_u64().map(u64::cast_signed),
        }
    }

    /// Counterpart of [`NetworkWriter::write_unsigned_wide`].
    #[inline]
    pub(crate) fn read_unsigned_wide(&mut self) -> Result<u64, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_packed_u64(),
        }
    }

    /// Counterpart of [`NetworkWriter::write_enum`].
    ///
    /// # Errors
    ///
    /// When fewer than four bytes are left.
    #[inline]
    pub fn read_enum(&mut self) -> Result<i32, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_i32(),
        }
    }

    /// Counterpart of [`NetworkWriter::write_variant`].
    ///
    /// # Errors
    ///
    /// When the message ends too early or the number has more than 32 bits.
    #[inline]
    pub fn read_variant(&mut self) -> Result<u32, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_packed_u32(),
        }
    }

    /// Counterpart of [`NetworkWriter::write_count`].
    ///
    /// # Errors
    ///
    /// When fewer than two bytes are left.
    pub fn read_count(&mut self) -> Result<usize, ReadError> {
        match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_u16().map(usize::from),
        }
    }

    /// Changes the bits of derived classes that may stand in a base's mask; returns the former ones.
    pub(crate) fn replace_derived_bits(&mut self, change: impl FnOnce(u64) -> u64) -> u64 {
        let former = self.derived_bits;
        self.derived_bits = change(former);
        former
    }

    /// Counterpart of [`NetworkWriter::write_dirty_bits`]; `known_bits` are those of the fields
    /// of this class and its bases.
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when a bit belongs to no field (UNet ignores it and
    /// then reads its value as something else).
    #[inline]
    pub fn read_dirty_bits(&mut self, known_bits: u64) -> Result<u64, ReadError> {
        let start = self.position();
        let dirty_bits = match self.dialect() {
            Dialect::Unet | Dialect::Compact => self.read_packed_u64()?,
        };
        let unknown = dirty_bits & !(known_bits | self.derived_bits);
        if unknown != 0 {
            return Err(ReadError::new(
                ReadErrorKind::UnknownDirtyBits { unknown },
                start,
            ));
        }
        self.seen_bits |= dirty_bits;
        Ok(dirty_bits)
    }

    /// Every dirty bit read since this was last asked.
    pub(crate) fn take_seen_bits(&mut self) -> u64 {
        std::mem::take(&mut self.seen_bits)
    }
}
