//! `Half`: floats of 16 bits.

use super::SyncCodec;
use super::floats::{self, Floats, narrow};
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Floats of 16 bits, IEEE 754 binary16: about 3 digits, up to 65504. Two bytes for each
/// float, the lower first; equal in every encoding, and equal to Mirror's bytes of a `Half`.
///
/// For `f32`, `f64` and all types made of floats ([`Floats`]). Each float is rounded to the nearest
/// representable number, a tie to the even one:
///
/// | size of the value | error |
/// |---|---|
/// | below 2^-14 (0.00006) | at most 2^-25 |
/// | up to 65504 | at most 2^-11 of the value (0.05 %) |
/// | below 65520 | becomes 65504 |
/// | 65520 and more | becomes infinite |
///
/// An `f64` is rounded to `f32` first, with a further error of 2^-24 of the value. `-0.0` keeps its sign. Every
/// NaN becomes the same NaN.
///
/// ```
/// use syncvar::{codec::{Half, SyncCodec}, wire::{NetworkReader, NetworkWriter}};
///
/// let mut writer = NetworkWriter::new();
/// Half::write(&1.618_f32, &mut writer);
/// assert_eq!(writer.as_bytes(), [0x79, 0x3e]);
/// let read: f32 = Half::read(&mut NetworkReader::new(writer.as_bytes()))?;
/// assert_eq!(read, 1.6181640625);
/// # Ok::<(), syncvar::wire::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Half;

/// Bits of the encoded NaN.
const NAN: u16 = 0x7E00;

/// 2^-14, the smallest half with full precision, and 2^-24, the unit of smaller halves.
const SMALLEST_NORMAL: f32 = 1.0 / 16_384.0;
const UNIT: f32 = SMALLEST_NORMAL / 1024.0;

/// An `f32` keeps 23 bits behind the point and a half 10; their exponents are 112 apart.
const DROPPED: u32 = 23 - 10;
const REBIAS: u32 = 112 << 23;

/// Returns the bits of the nearest half.
#[inline]
fn encode(value: f32) -> u16 {
    const INFINITE: u32 = 0x7C00;
    let magnitude = value.abs().to_bits();
    let bits = if value.is_nan() {
        return NAN;
    } else if magnitude >= 65536_f32.to_bits() {
        INFINITE
    } else if magnitude >= SMALLEST_NORMAL.to_bits() {
        // Adds half of the last remaining bit, minus one unit where that bit is even. A carry yields the next
        // exponent, which is correct, up to infinity.
        let rebiased = magnitude.wrapping_sub(REBIAS);
        let odd = rebiased >> DROPPED & 1;
        rebiased.wrapping_add(0xFFF).wrapping_add(odd) >> DROPPED
    } else {
        // The last bit of numbers around a half is 2^-24, the unit of the smallest halves: the
        // addition rounds.
        let rounded = f32::from_bits(magnitude) + 0.5;
        rounded.to_bits().wrapping_sub(0.5_f32.to_bits())
    };
    let [low, high, ..] = bits.to_le_bytes();
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    u16::from_le_bytes([low, high | sign])
}

/// Returns the value of a half.
#[inline]
fn value_of(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7FFF);
    let exponent = magnitude >> 10;
    let value = match exponent {
        0 => f32::from(bits & 0x3FF) * UNIT,
        31 if bits & 0x3FF != 0 => f32::NAN,
        31 => f32::INFINITY,
        _ => f32::from_bits((magnitude << DROPPED).wrapping_add(REBIAS)),
    };
    value.copysign(if bits >> 15 == 0 { 1.0 } else { -1.0 })
}

#[inline]
fn decode(reader: &mut NetworkReader<'_>) -> Result<f32, ReadError> {
    reader.read_u16().map(value_of)
}

#[diagnostic::do_not_recommend]
impl<T: Floats> SyncCodec<T> for Half {
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "Half",
        parameters: &[],
        value: &T::SCHEMA,
    };

    #[expect(
        clippy::inline_always,
        reason = "a call for each field costs a server a hundredth"
    )]
    #[inline(always)]
    fn write(value: &T, writer: &mut NetworkWriter) {
        if writer.context().plain {
            return floats::write_plain(value, writer);
        }
        for component in value.components() {
            writer.write_u16(encode(component));
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
        if reader.context().plain {
            return floats::read_plain(reader);
        }
        T::from_components(|| decode(reader))
    }

    #[inline]
    fn same(value: &T, other: &T) -> bool {
        let other = other.components().map(encode);
        value.components().map(encode).eq(other)
    }
}

#[diagnostic::do_not_recommend]
impl SyncCodec<f64> for Half {
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "Half",
        parameters: &[],
        value: &<f64 as SyncValue>::SCHEMA,
    };

    #[inline]
    fn write(value: &f64, writer: &mut NetworkWriter) {
        if writer.context().plain {
            return writer.write_f64(*value);
        }
        writer.write_u16(encode(narrow(*value)));
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<f64, ReadError> {
        if reader.context().plain {
            return reader.read_f64();
        }
        decode(reader).map(f64::from)
    }

    #[inline]
    fn same(value: &f64, other: &f64) -> bool {
        encode(narrow(*value)) == encode(narrow(*other))
    }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::{encode, value_of};

    /// The crate `half`, a dev-dependency only, is the reference.
    #[test]
    fn every_half_has_the_value_that_others_give_it() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (value_of(bits), f16::from_bits(bits).to_f32());
            assert!(
                ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(),
                "{bits:#x}: {ours} {theirs}"
            );
            if !ours.is_nan() {
                assert_eq!(encode(ours), bits);
            }
        }
    }

    #[test]
    fn every_float_is_rounded_as_others_round_it() {
        // Every half and the middle between two halves, each with one bit less, exactly and one bit more; and random values.
        let halves = (0..0x7C00_u16).map(|bits| f16::from_bits(bits).to_f32());
        let middles = (0..0x7BFF_u16).map(|bits| {
            let [a, b] = [bits, bits + 1].map(|bits| f16::from_bits(bits).to_f32());
            a.midpoint(b)
        });
        let others =
            (0..1_000_000_u32).map(|number| f32::from_bits(number.wrapping_mul(4_294_967)));
        let ends = [65519.9, 65520.0, 65535.9, 65536.0, f32::MAX, f32::INFINITY];
        for value in halves.chain(middles).chain(others).chain(ends) {
            for near in [value.next_down(), value, value.next_up(), -value] {
                if !near.is_nan() {
                    assert_eq!(encode(near), f16::from_f32(near).to_bits(), "{near:e}");
                }
            }
        }
        assert_eq!(encode(f32::NAN), encode(-f32::NAN));
    }
}
