//! `Decimal`: the decimal number type of .NET.

use std::fmt;

use crate::schema::TypeSchema;
use crate::wire::{Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue};

/// .NET's `decimal`: a whole number of 96 bits, a scale of 0 to 28 decimal places, and a sign.
///
/// Equality is by value, as in .NET: `1.0` equals `1.00` although the two differ on the wire.
///
/// ```
/// # use syncvar::values::Decimal;
/// let price = Decimal::new(-1999, 2);
/// assert_eq!(price.to_string(), "-19.99");
/// assert_eq!(price, Decimal::new(-19_990, 3));
/// ```
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Decimal {
    bits: [u32; 4],
}

impl Decimal {
    const MAX_SCALE: u32 = 28;
    const SIGN: u32 = 1 << 31;

    #[expect(
        clippy::many_single_char_names,
        reason = "the bytes of a number, in order"
    )]
    /// Creates `number / 10^scale`; a scale beyond 28 is taken as 28.
    pub const fn new(number: i64, scale: u32) -> Self {
        let [a, b, c, d, e, f, g, h] = number.unsigned_abs().to_le_bytes();
        let scale = if scale > Self::MAX_SCALE {
            Self::MAX_SCALE
        } else {
            scale
        };
        let sign = if number < 0 { Self::SIGN } else { 0 };
        Self {
            bits: [
                u32::from_le_bytes([a, b, c, d]),
                u32::from_le_bytes([e, f, g, h]),
                0,
                scale << 16 | sign,
            ],
        }
    }

    /// Creates a decimal from its four words: low, middle and high part of the number, then scale (bits 16 to 23)
    /// and sign (bit 31). `None` when the scale is beyond 28 or a reserved bit is set.
    pub fn from_bits(bits: [u32; 4]) -> Option<Self> {
        let [.., flags] = bits;
        let reserved = flags & !(0xff << 16 | Self::SIGN);
        let scale = flags >> 16 & 0xff;
        (reserved == 0 && scale <= Self::MAX_SCALE).then_some(Self { bits })
    }

    /// Returns the four words of [`from_bits`](Self::from_bits).
    pub fn to_bits(self) -> [u32; 4] {
        self.bits
    }

    fn number(self) -> u128 {
        let [low, middle, high, _] = self.bits;
        u128::from(high) << 64 | u128::from(middle) << 32 | u128::from(low)
    }

    fn scale(self) -> u32 {
        let [.., flags] = self.bits;
        flags >> 16 & 0xff
    }

    fn is_negative(self) -> bool {
        let [.., flags] = self.bits;
        flags & Self::SIGN != 0
    }

    /// Returns sign, number and scale without trailing zeros; zero is unsigned.
    fn reduced(self) -> (bool, u128, u32) {
        let (mut number, mut scale) = (self.number(), self.scale());
        while scale > 0 && number.is_multiple_of(10) {
            number = number.checked_div(10).unwrap_or_default();
            scale = scale.saturating_sub(1);
        }
        (self.is_negative() && number != 0, number, scale)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.reduced() == other.reduced()
    }
}

impl Eq for Decimal {}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        let unit = 10_u128.pow(self.scale());
        let whole = self.number().checked_div(unit).unwrap_or_default();
        let part = self.number().checked_rem(unit).unwrap_or_default();
        match usize::try_from(self.scale()) {
            Ok(places) if places > 0 => write!(f, "{sign}{whole}.{part:0places$}"),
            _ => write!(f, "{sign}{whole}"),
        }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decimal({self})")
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for Decimal {
    const SCHEMA: TypeSchema = TypeSchema::Named("Decimal");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_decimal(*self);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_decimal()
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl NetworkWriter {
    /// Writes a decimal: its low, middle and high 32 bits, then scale and sign. In `Mirror` scale and sign, then
    /// high, low and middle bits.
    pub fn write_decimal(&mut self, value: Decimal) {
        let [low, middle, high, flags] = value.to_bits();
        let parts = match self.encoding() {
            Encoding::Mirror => [flags, high, low, middle],
            Encoding::Unet | Encoding::Compact => [low, middle, high, flags],
        };
        for part in parts {
            self.write_u32(part);
        }
    }
}

impl NetworkReader<'_> {
    /// Reads a decimal of 16 bytes.
    ///
    /// # Errors
    ///
    /// When fewer are left, and when the scale is beyond 28 or reserved bits are used.
    pub fn read_decimal(&mut self) -> Result<Decimal, ReadError> {
        let start = self.mark();
        let parts = [
            self.read_u32()?,
            self.read_u32()?,
            self.read_u32()?,
            self.read_u32()?,
        ];
        let bits @ [.., flags] = match (self.encoding(), parts) {
            (Encoding::Mirror, [flags, high, low, middle]) => [low, middle, high, flags],
            (Encoding::Unet | Encoding::Compact, bits) => bits,
        };
        Decimal::from_bits(bits)
            .ok_or_else(|| self.error_since(start, ReadErrorKind::InvalidDecimal(flags)))
    }
}
