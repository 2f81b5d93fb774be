//! `Quantized`: floats in a range, in steps.

use super::SyncCodec;
use super::floats::{self, Floats, narrow};
use super::steps::Steps;
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Floats from `MIN` to `MAX` in steps of `1 / PER_UNIT`, sent as the number of the step: a position on a map
/// of 1000 metres, to the centimetre, is `Quantized<-500, 500, 100>` and takes 3 bytes.
///
/// | steps, `(MAX - MIN) * PER_UNIT` | bytes for each float, the lowest first |
/// |---|---|
/// | up to 255 | 1 |
/// | up to 65535 | 2 |
/// | up to 2^24 - 1 | 3 |
/// | up to 2^32 - 1 | 4 |
///
/// More steps do not compile, nor `MIN >= MAX`, nor 0 steps per unit. The bytes
/// are equal in every encoding.
///
/// For `f32`, `f64` and all types made of floats ([`Floats`]), with one range for all floats. A value
/// is rounded to the nearest step, a tie to the higher one. A value outside of the range becomes the nearer
/// end. NaN is an error ([`WriteErrorKind::NotANumber`](crate::WriteErrorKind::NotANumber)) and is not sent. The error on a client is at most half a step, `0.5 / PER_UNIT`; for an `f32` add the
/// rounding of the step itself, 2^-24 of the larger bound. All computations use `f64`, with
/// rounding below a millionth of a step, unless the range lies further than 2^32 steps
/// from 0. If an `f32` can represent each step, a decoded value
/// encodes to the same bytes.
///
/// ```
/// use syncvar::{codec::{Quantized, SyncCodec}, wire::{NetworkReader, NetworkWriter}};
///
/// type Metres = Quantized<-500, 500, 100>;
///
/// let mut writer = NetworkWriter::new();
/// Metres::write(&12.3456_f32, &mut writer);
/// assert_eq!(writer.as_bytes(), [0x23, 0xc8, 0]); // 51235 centimetres from -500
/// let read: f32 = Metres::read(&mut NetworkReader::new(writer.as_bytes()))?;
/// assert_eq!(read, 12.35);
/// # Ok::<(), syncvar::wire::ReadError>(())
/// ```
///
/// ```compile_fail
/// # use syncvar::{codec::{Quantized, SyncCodec}, wire::NetworkWriter};
/// Quantized::<1, 1, 100>::write(&0.0_f32, &mut NetworkWriter::new());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantized<const MIN: i32, const MAX: i32, const PER_UNIT: u32>;

impl<const MIN: i32, const MAX: i32, const PER_UNIT: u32> Quantized<MIN, MAX, PER_UNIT> {
    /// The steps, with their bytes.
    const STEPS: Steps = Steps::new(MIN, PER_UNIT, steps(MIN, MAX, PER_UNIT));

    #[expect(clippy::as_conversions, reason = "widens")]
    const PARAMETERS: &'static [i64] = {
        // Evaluated here, so that a schema with invalid parameters does not compile.
        let _ = Self::STEPS;
        &[MIN as i64, MAX as i64, PER_UNIT as i64]
    };
}

/// Returns the number of steps. A panic in a constant expression is a compile error.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "what is wide was checked to fit"
)]
#[track_caller]
const fn steps(min: i32, max: i32, per_unit: u32) -> u32 {
    let steps = (max.abs_diff(min) as u64).saturating_mul(per_unit as u64);
    assert!(
        min < max,
        "in `Quantized<MIN, MAX, PER_UNIT>` the range goes up: write the lower end first"
    );
    assert!(
        per_unit > 0,
        "in `Quantized<MIN, MAX, PER_UNIT>` there is at least 1 step per unit"
    );
    assert!(
        steps <= u32::MAX as u64,
        "in `Quantized<MIN, MAX, PER_UNIT>` there are more than 2^32 steps: write fewer per unit"
    );
    steps as u32
}

#[diagnostic::do_not_recommend]
impl<T: Floats, const MIN: i32, const MAX: i32, const PER_UNIT: u32> SyncCodec<T>
    for Quantized<MIN, MAX, PER_UNIT>
{
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "Quantized",
        parameters: Self::PARAMETERS,
        value: &T::SCHEMA,
    };

    #[inline]
    fn write(value: &T, writer: &mut NetworkWriter) {
        if writer.context().plain {
            return floats::write_plain(value, writer);
        }
        for component in value.components() {
            Self::STEPS.encode(component.into(), writer);
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
        if reader.context().plain {
            return floats::read_plain(reader);
        }
        T::from_components(|| Self::STEPS.decode(reader).map(narrow))
    }

    #[inline]
    fn same(value: &T, other: &T) -> bool {
        let step = |component: f32| Self::STEPS.step_at(component.into());
        value
            .components()
            .map(step)
            .eq(other.components().map(step))
    }
}

#[diagnostic::do_not_recommend]
impl<const MIN: i32, const MAX: i32, const PER_UNIT: u32> SyncCodec<f64>
    for Quantized<MIN, MAX, PER_UNIT>
{
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "Quantized",
        parameters: Self::PARAMETERS,
        value: &<f64 as SyncValue>::SCHEMA,
    };

    #[inline]
    fn write(value: &f64, writer: &mut NetworkWriter) {
        if writer.context().plain {
            return writer.write_f64(*value);
        }
        Self::STEPS.encode(*value, writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<f64, ReadError> {
        if reader.context().plain {
            return reader.read_f64();
        }
        Self::STEPS.decode(reader)
    }

    #[inline]
    fn same(value: &f64, other: &f64) -> bool {
        Self::STEPS.step_at(*value) == Self::STEPS.step_at(*other)
    }
}
