//! `Half`: floats of 16 bits.

use ::half::f16;

use super::SyncCodec;
use super::floats::{Floats, narrow};
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Floats of 16 bits, IEEE 754 binary16: about 3 digits, of numbers up to 65504. Two bytes for each
/// float, the lower first; the same in every dialect.
///
/// For `f32`, `f64` and all that is made of floats ([`Floats`]). Each is rounded to the nearest number
/// there is, half way to the even one:
///
/// | the value's size | it is off by at most |
/// |---|---|
/// | below 2^-14 (0.00006) | 2^-25 |
/// | up to 65504 | 2^-11 of itself (0.05 %) |
/// | below 65520 | becomes 65504 |
/// | 65520 and more | becomes infinite |
///
/// An `f64` is rounded to `f32` first, which adds 2^-24 of itself. `-0.0` keeps its sign. Every NaN
/// travels as the same one.
///
/// ```
/// use syncvar_runtime::{Half, NetworkReader, NetworkWriter, SyncCodec};
///
/// let mut writer = NetworkWriter::new();
/// Half::write(&1.618_f32, &mut writer);
/// assert_eq!(writer.as_bytes(), [0x79, 0x3e]);
/// let read: f32 = Half::read(&mut NetworkReader::new(writer.as_bytes()))?;
/// assert_eq!(read, 1.6181640625);
/// # Ok::<(), syncvar_runtime::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Half;

/// The bits of the nearest number.
#[inline]
fn encode(value: f32) -> u16 {
    if value.is_nan() {
        return f16::NAN.to_bits();
    }
    f16::from_f32(value).to_bits()
}

#[inline]
fn decode(reader: &mut NetworkReader<'_>) -> Result<f32, ReadError> {
    reader.read_u16().map(|bits| f16::from_bits(bits).to_f32())
}

#[diagnostic::do_not_recommend]
impl<T: Floats> SyncCodec<T> for Half {
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "Half",
        parameters: &[],
        value: &T::SCHEMA,
    };

    #[inline]
    fn write(value: &T, writer: &mut NetworkWriter) {
        for component in value.components() {
            writer.write_u16(encode(component));
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
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
        writer.write_u16(encode(narrow(*value)));
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<f64, ReadError> {
        decode(reader).map(f64::from)
    }

    #[inline]
    fn same(value: &f64, other: &f64) -> bool {
        encode(narrow(*value)) == encode(narrow(*other))
    }
}
