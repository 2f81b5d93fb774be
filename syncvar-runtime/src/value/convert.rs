//! Conversions into values.

use bytes::Bytes;

use super::{StructValue, Value};
use crate::{Color, NetId, NetRef, Quaternion, Vector2, Vector3, Vector4};

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Integer(value.into())
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl From<u128> for Value {
    fn from(value: u128) -> Self {
        i128::try_from(value).map_or(Self::Unsigned(value), Self::Integer)
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self::Float(widen(value))
    }
}

macro_rules! from {
    ($($type:ty, |$value:ident| $into:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $into
            }
        }
    )*};
}

from! {
    bool, |value| Self::Bool(value);
    f64, |value| Self::Float(value);
    char, |value| Self::Char(value);
    &str, |value| Self::Text(value.into());
    String, |value| Self::Text(value);
    Bytes, |value| Self::Bytes(value);
    StructValue, |value| Self::Struct(value);
    NetRef, |value| Self::Object(value);
    NetId, |value| Self::Integer(value.0.into());
    Vector2, |value| Self::structure([("x", value.x), ("y", value.y)]);
    Vector3, |value| Self::structure([("x", value.x), ("y", value.y), ("z", value.z)]);
    Vector4, |v| Self::structure([("x", v.x), ("y", v.y), ("z", v.z), ("w", v.w)]);
    Quaternion, |q| Self::structure([("x", q.x), ("y", q.y), ("z", q.z), ("w", q.w)]);
    Color, |value| Self::structure([("r", value.r), ("g", value.g), ("b", value.b), ("a", value.a)]);
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(values: Vec<V>) -> Self {
        Self::List(values.into_iter().map(V::into).collect())
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(values: [V; N]) -> Self {
        Self::List(values.into_iter().map(V::into).collect())
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        Self::optional(value)
    }
}

/// Bits of an `f32` and an `f64` that is not a number: the first of the significand.
const NAN_BITS: u64 = 0x7ff0_0000_0000_0000;
/// Significand bits that an `f64` has beyond an `f32`.
const MORE_BITS: u32 = 52 - 23;

/// Returns the float with 64 bits. Keeps every bit of a NaN, which a conversion of the processor would change.
#[inline]
pub(crate) fn widen(value: f32) -> f64 {
    if !value.is_nan() {
        return value.into();
    }
    let bits = u64::from(value.to_bits());
    let (sign, significand) = (bits & 0x8000_0000, bits & 0x007f_ffff);
    f64::from_bits(sign << 32 | NAN_BITS | significand << MORE_BITS)
}

/// Returns the nearest float of 32 bits; the inverse of [`widen`].
#[inline]
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "rounds to nearest, as it should"
)]
pub(crate) fn narrow(value: f64) -> f32 {
    if !value.is_nan() {
        return value as f32;
    }
    let bits = value.to_bits();
    let significand = bits >> MORE_BITS & 0x007f_ffff;
    let significand = if significand == 0 {
        0x0040_0000
    } else {
        significand
    };
    let sign = bits >> 32 & 0x8000_0000;
    f32::from_bits((sign | 0x7f80_0000 | significand) as u32)
}

#[cfg(test)]
mod tests {
    use super::{narrow, widen};

    #[test]
    fn every_float_of_32_bits_comes_back() {
        let numbers = (0..1_000_000_u32).map(|number| number.wrapping_mul(4_294_967));
        let ends = [0x7f80_0001, 0xffc0_0000, 0x7f80_0000, 1, 0x8000_0000];
        for bits in numbers.chain(ends) {
            let value = f32::from_bits(bits);
            assert_eq!(narrow(widen(value)).to_bits(), bits, "{value}");
            let widened = f64::from(value).to_bits();
            assert!(value.is_nan() || widen(value).to_bits() == widened);
        }
        assert!(narrow(f64::from_bits(0x7ff0_0000_0000_0001)).is_nan());
    }
}
