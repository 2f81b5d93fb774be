//! `Steps`: a range of floats in equal steps, with the bytes of a step. [`Quantized`](super::Quantized) knows its steps at
//! compile time, a layout of a schema at run time.

use super::bits::{read_low_bytes, write_low_bytes};
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind};

/// Steps of a range of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    min: i32,
    per_unit: u32,
    /// Number of the highest step.
    last: u32,
    /// Number of bytes of the highest step.
    bytes: u8,
}

impl Steps {
    /// Creates the steps of a range; `None` for an empty range, no steps, or more than 2^32.
    pub(crate) fn of(min: i64, max: i64, per_unit: i64) -> Option<Self> {
        let (min, max) = (i32::try_from(min).ok()?, i32::try_from(max).ok()?);
        let per_unit = u32::try_from(per_unit).ok()?;
        let last = u64::from(max.abs_diff(min)).checked_mul(per_unit.into())?;
        let last = u32::try_from(last).ok()?;
        (min < max && per_unit > 0).then(|| Self::new(min, per_unit, last))
    }

    /// Creates the steps from a lower end up to the last step.
    pub(super) const fn new(min: i32, per_unit: u32, last: u32) -> Self {
        let bytes = match last {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xff_ffff => 3,
            _ => 4,
        };
        Self {
            min,
            per_unit,
            last,
            bytes,
        }
    }

    /// Returns the number of bytes of a step.
    #[inline]
    #[expect(clippy::as_conversions, reason = "widens")]
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes as usize
    }

    /// Returns the nearest step. NaN has none.
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of steps"
    )]
    #[inline]
    pub(super) fn step_at(&self, value: f64) -> Option<u32> {
        let steps = (value - f64::from(self.min)) * f64::from(self.per_unit);
        let step = steps.round().clamp(0.0, f64::from(self.last)) as u32;
        (!value.is_nan()).then_some(step)
    }

    /// Returns whether a value is in the range, or less than half a step beyond it.
    pub(crate) fn contains(&self, value: f64) -> bool {
        let steps = (value - f64::from(self.min)) * f64::from(self.per_unit);
        (0.0..=f64::from(self.last)).contains(&steps.round())
    }

    /// Returns 0, or the end of the range that is nearer to 0.
    pub(crate) fn nearest_to_zero(&self) -> f64 {
        let (first, span) = (f64::from(self.min), f64::from(self.last));
        0.0_f64.clamp(first, first + span / f64::from(self.per_unit))
    }

    /// Appends the nearest step.
    #[inline]
    pub(crate) fn encode(&self, value: f64, writer: &mut NetworkWriter) {
        match self.step_at(value) {
            Some(step) => write_low_bytes(step.into(), self.bytes(), writer),
            None => writer.fail(WriteErrorKind::NotANumber),
        }
    }

    /// Reads a step and returns its value.
    ///
    /// # Errors
    ///
    /// When the number is beyond the last step.
    #[inline]
    pub(crate) fn decode(&self, reader: &mut NetworkReader<'_>) -> Result<f64, ReadError> {
        let start = reader.mark();
        let value = read_low_bytes(self.bytes(), reader)?;
        match u32::try_from(value) {
            Ok(step) if step <= self.last => {
                Ok(f64::from(self.min) + f64::from(step) / f64::from(self.per_unit))
            }
            _ => {
                let what = "step of a quantised float";
                Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }))
            }
        }
    }
}
