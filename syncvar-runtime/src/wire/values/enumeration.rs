//! Enumerations: the numbers of their variants.

use crate::wire::{
    Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue, WriteErrorKind,
    zigzag,
};

/// Integer type of an enumeration's `repr`: 8 to 64 bits.
pub trait EnumNumber: SyncValue + Copy + Into<i128> {}

impl EnumNumber for i8 {}
impl EnumNumber for i16 {}
impl EnumNumber for i32 {}
impl EnumNumber for i64 {}
impl EnumNumber for u8 {}
impl EnumNumber for u16 {}
impl EnumNumber for u32 {}
impl EnumNumber for u64 {}

/// Returns the 32 bits of a number that fits them, signed or not.
#[inline]
fn low_bits(number: impl EnumNumber) -> Option<i32> {
    let number = number.into();
    let unsigned = || u32::try_from(number).ok().map(u32::cast_signed);
    i32::try_from(number).ok().or_else(unsigned)
}

impl NetworkWriter {
    /// Writes the number of a field-less enumeration's variant, for an enumeration without `repr`; see
    /// [`write_enum_as`](Self::write_enum_as) for an enumeration with `repr`.
    #[inline]
    pub fn write_enum(&mut self, value: i32) {
        match self.encoding() {
            Encoding::Unet => self.write_i32(value),
            Encoding::Compact => self.write_varint(zigzag(i64::from(value))),
            Encoding::Mirror => self.write_signed(value),
        }
    }

    /// Writes the number of a field-less enumeration's variant, in the type of its `repr`. `Unet`
    /// and `Compact` ignore the type; in `Mirror` the number has the form of that type.
    ///
    /// A number of more than 32 bits is an [`error`](Self::error) in every encoding.
    ///
    /// ```
    /// # use syncvar::wire::{Encoding, NetworkWriter};
    /// let mut unet = NetworkWriter::with_encoding(Encoding::Unet);
    /// let mut mirror = NetworkWriter::with_encoding(Encoding::Mirror);
    /// unet.write_enum_as(2_u8);
    /// mirror.write_enum_as(2_u8);
    /// assert_eq!(unet.as_bytes(), [2, 0, 0, 0]);
    /// assert_eq!(mirror.as_bytes(), [2]);
    /// ```
    #[inline]
    pub fn write_enum_as<N: EnumNumber>(&mut self, number: N) {
        match (low_bits(number), self.encoding()) {
            (Some(_), Encoding::Mirror) => number.write(self),
            (Some(value), Encoding::Unet | Encoding::Compact) => self.write_enum(value),
            (None, _) => self.fail(WriteErrorKind::TooFewBits { bits: 32 }),
        }
    }

    /// Writes the position of a variant in an enumeration with data: a layout of `syncvar`.
    #[inline]
    pub fn write_variant(&mut self, index: u32) {
        self.write_unsigned(index);
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_enum`].
    ///
    /// # Errors
    ///
    /// When the message ends too early or the number has more than 32 bits.
    #[inline]
    pub fn read_enum(&mut self) -> Result<i32, ReadError> {
        match self.encoding() {
            Encoding::Unet => self.read_i32(),
            Encoding::Compact | Encoding::Mirror => self.read_signed("i32"),
        }
    }

    /// Counterpart of [`NetworkWriter::write_enum_as`]; returns the 32 bits of the number.
    ///
    /// # Errors
    ///
    /// When the message ends too early or the number has more than 32 bits.
    #[inline]
    pub fn read_enum_as<N: EnumNumber>(&mut self) -> Result<i32, ReadError> {
        if self.encoding() != Encoding::Mirror {
            return self.read_enum();
        }
        let start = self.mark();
        let number = N::read(self)?;
        low_bits(number).ok_or_else(|| {
            let what = "number of a variant";
            let value = u64::try_from(number.into()).unwrap_or(u64::MAX);
            self.error_since(start, ReadErrorKind::InvalidValue { what, value })
        })
    }

    /// Counterpart of [`NetworkWriter::write_variant`].
    ///
    /// # Errors
    ///
    /// When the message ends too early or the number has more than 32 bits.
    #[inline]
    pub fn read_variant(&mut self) -> Result<u32, ReadError> {
        self.read_unsigned("u32")
    }
}
