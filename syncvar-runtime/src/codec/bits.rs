//! `Bits`: integers of a given number of bits.

use super::SyncCodec;
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue, WriteErrorKind};

/// Integers of at most `N` bits, in the fewest possible bytes, lowest first. The unused bits of the last
/// byte are 0.
///
/// For `u8` to `u64` from 0 to 2^N - 1, and for `i8` to `i64`, in two's complement, from -2^(N-1) to
/// 2^(N-1) - 1; without loss, with equal bytes in every encoding. A value beyond this range is a
/// [`WriteErrorKind::TooFewBits`] and is not sent; set bits beyond `N` are a read error.
///
/// ```
/// use syncvar::{codec::{Bits, SyncCodec}, wire::{NetworkWriter, WriteErrorKind}};
///
/// let mut writer = NetworkWriter::new();
/// Bits::<12>::write(&4095_u32, &mut writer);
/// Bits::<12>::write(&-2_i32, &mut writer);
/// assert_eq!(writer.as_bytes(), [0xff, 0x0f, 0xfe, 0x0f]);
/// Bits::<12>::write(&4096_u32, &mut writer);
/// let kind = writer.error().map(|error| error.kind());
/// assert_eq!(kind, Some(WriteErrorKind::TooFewBits { bits: 12 }));
/// ```
///
/// More bits than the type has, and 0 bits, do not compile:
///
/// ```compile_fail
/// # use syncvar::{codec::{Bits, SyncCodec}, wire::NetworkWriter};
/// Bits::<17>::write(&0_u16, &mut NetworkWriter::new());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Bits<const N: u32>;

/// Appends the lowest bytes of a number.
#[inline]
pub(super) fn write_low_bytes(number: u64, count: usize, writer: &mut NetworkWriter) {
    if let Some(bytes) = number.to_le_bytes().get(..count) {
        writer.write_bytes(bytes);
    }
}

/// Takes a number of `BYTES` bytes.
#[inline]
pub(super) fn read_low_bytes(
    count: usize,
    reader: &mut NetworkReader<'_>,
) -> Result<u64, ReadError> {
    let mut number = [0; 8];
    for (to, from) in number.iter_mut().zip(reader.read_bytes(count)?) {
        *to = *from;
    }
    Ok(u64::from_le_bytes(number))
}

impl<const N: u32> Bits<N> {
    const WIDTH: BitWidth = BitWidth(N);

    #[expect(clippy::as_conversions, reason = "widens")]
    const PARAMETERS: &'static [i64] = &[N as i64];
}

/// Number of bits of an integer. [`Bits`] knows it at compile time, a layout of a schema at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitWidth(pub(crate) u32);

impl BitWidth {
    /// Returns the number of bits of a `u64` beyond the width.
    const fn unused(self) -> u32 {
        u64::BITS.saturating_sub(self.0)
    }

    /// Returns the highest number.
    const fn max(self) -> u64 {
        u64::MAX.wrapping_shr(self.unused())
    }

    /// Returns the number of bytes.
    #[expect(clippy::as_conversions, reason = "at most 8")]
    pub(crate) const fn bytes(self) -> usize {
        self.0.div_ceil(8) as usize
    }

    /// Reads the bits of a number.
    ///
    /// # Errors
    ///
    /// When a bit beyond the width is set.
    #[inline]
    pub(crate) fn read(self, reader: &mut NetworkReader<'_>) -> Result<u64, ReadError> {
        let start = reader.mark();
        let value = read_low_bytes(self.bytes(), reader)?;
        if value > self.max() {
            let what = "number of so few bits";
            return Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }));
        }
        Ok(value)
    }

    /// Appends the bits of a number.
    #[inline]
    pub(crate) fn write(self, bits: Option<u64>, writer: &mut NetworkWriter) {
        match bits {
            Some(bits) => write_low_bytes(bits, self.bytes(), writer),
            None => writer.fail(WriteErrorKind::TooFewBits { bits: self.0 }),
        }
    }

    /// Returns the number in this width, if it fits.
    pub(crate) const fn unsigned_bits(self, number: u64) -> Option<u64> {
        if number <= self.max() {
            Some(number)
        } else {
            None
        }
    }

    /// Returns the number in this width, two's complement, if it fits.
    pub(crate) const fn signed_bits(self, number: i64) -> Option<u64> {
        let bits = number.cast_unsigned() & self.max();
        if self.to_signed(bits) == number {
            Some(bits)
        } else {
            None
        }
    }

    /// Extends the sign: repeats the highest bit of the width in all bits above.
    pub(crate) const fn to_signed(self, bits: u64) -> i64 {
        let high = bits.wrapping_shl(self.unused()).cast_signed();
        high.wrapping_shr(self.unused())
    }
}

/// Check of `N` against the number of bits of a type.
struct Checked<const N: u32, const BITS_OF_TYPE: u32>;

impl<const N: u32, const BITS_OF_TYPE: u32> Checked<N, BITS_OF_TYPE> {
    const DONE: () = check(N, BITS_OF_TYPE);
}

/// Panics in a constant expression, which is a compile error.
#[track_caller]
const fn check(bits: u32, bits_of_type: u32) {
    assert!(
        bits > 0 && bits <= bits_of_type,
        "in `Bits<N>` there is at least 1 bit, and no more than the field's type has"
    );
}

macro_rules! bits {
    ($($type:ident: $to_bits:ident, |$bits:ident| $from_bits:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const N: u32> SyncCodec<$type> for Bits<N> {
            const SCHEMA: TypeSchema = {
                let () = Checked::<N, { $type::BITS }>::DONE;
                TypeSchema::Encoded {
                    codec: "Bits",
                    parameters: Self::PARAMETERS,
                    value: &<$type as SyncValue>::SCHEMA,
                }
            };

            #[inline]
            fn write(value: &$type, writer: &mut NetworkWriter) {
                let () = Checked::<N, { $type::BITS }>::DONE;
                if writer.context().plain {
                    return SyncValue::write(value, writer);
                }
                let bits = Self::WIDTH.$to_bits((*value).into());
                Self::WIDTH.write(bits, writer);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<$type, ReadError> {
                if reader.context().plain {
                    return SyncValue::read(reader);
                }
                let start = reader.mark();
                let $bits = Self::WIDTH.read(reader)?;
                match $from_bits.try_into() {
                    Ok(value) => Ok(value),
                    Err(_) => Err(reader.out_of_range(start, $bits, stringify!($type))),
                }
            }

            #[inline]
            fn same(value: &$type, other: &$type) -> bool {
                value == other
            }
        }
    )*};
}

bits! {
    u8: unsigned_bits, |bits| bits;
    u16: unsigned_bits, |bits| bits;
    u32: unsigned_bits, |bits| bits;
    u64: unsigned_bits, |bits| bits;
    i8: signed_bits, |bits| Self::WIDTH.to_signed(bits);
    i16: signed_bits, |bits| Self::WIDTH.to_signed(bits);
    i32: signed_bits, |bits| Self::WIDTH.to_signed(bits);
    i64: signed_bits, |bits| Self::WIDTH.to_signed(bits);
}
