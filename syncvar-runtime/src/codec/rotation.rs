//! `SmallestThree`: rotations of 32 bits.

use std::f64::consts::SQRT_2;

use super::SyncCodec;
use super::floats::narrow;
use crate::schema::TypeSchema;
use crate::{
    NetworkReader, NetworkWriter, Quaternion, ReadError, ReadErrorKind, SyncValue, WriteErrorKind,
};

/// Rotations in 32 bits: the three smaller components, in 10 bits each, and the index of the largest one.
/// The largest follows from them, because a rotation has length 1.
///
/// | bits | content |
/// |---|---|
/// | 31, 30 | index of the component with the largest magnitude, the first of several: 0 to 3 for x, y, z, w |
/// | 29 to 20, 19 to 10, 9 to 0 | the remaining components in order: `511 + round(component * 511 * sqrt(2))`, 0 to 1022 |
///
/// Four bytes, the lowest first; equal in every encoding. The rotation is normalised first, and
/// negated if its largest component is negative: `q` and `-q` are the same rotation and have equal
/// bytes. A quaternion of length zero becomes
/// [`Quaternion::IDENTITY`]. One with NaN or infinite components is an error
/// ([`WriteErrorKind::NotANumber`]) and is not sent.
///
/// If two components are nearly the largest, rounding might exchange them: the second is then
/// moved one step towards 0, so that a decoded rotation encodes to the same bytes. The reader
/// refuses bytes without a matching rotation.
///
/// The error is at most 0.0022 for each component and at most 0.28 degrees for the rotation; unless
/// two components are nearly the largest, it is at most 0.0007, half a step, for the three that are sent.
/// (With all components at 0.5, half a step `e` in each of three is `3 * e` in the fourth, and the angle
/// is twice the length of the difference, `2 * sqrt(12) * e`.)
///
/// ```
/// use syncvar::{codec::{SmallestThree, SyncCodec}, values::Quaternion, wire::{NetworkReader, NetworkWriter}};
///
/// let quarter_turn = Quaternion::new(0.0, 0.70710677, 0.0, 0.70710677);
/// let mut writer = NetworkWriter::new();
/// SmallestThree::write(&quarter_turn, &mut writer);
/// assert_eq!(writer.as_bytes().len(), 4);
/// let read: Quaternion = SmallestThree::read(&mut NetworkReader::new(writer.as_bytes()))?;
/// assert!((read.y - quarter_turn.y).abs() < 0.0022);
/// # Ok::<(), syncvar::wire::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SmallestThree;

/// Highest step: 1 / sqrt(2), the limit of a component that is not the largest.
const LAST_STEP: i32 = 511;

/// Steps per unit.
const STEPS: f64 = 511.0 * SQRT_2;

/// Parts of an encoded rotation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Smallest {
    /// Index of the omitted component.
    largest: usize,
    /// Steps of the remaining components, in order.
    steps: [i32; 3],
}

impl Smallest {
    const IDENTITY: Self = Self {
        largest: 3,
        steps: [0; 3],
    };

    /// Encodes a rotation. A rotation with NaN or infinite components lacks an encoding.
    fn of(rotation: &Quaternion) -> Option<Self> {
        let Quaternion { x, y, z, w } = *rotation;
        let [x, y, z, w] = [x, y, z, w].map(f64::from);
        let length = (x * x + y * y + z * z + w * w).sqrt();
        if !length.is_finite() {
            return None;
        }
        if length == 0.0 {
            return Some(Self::IDENTITY);
        }
        let (left_out, others) = match largest(rotation) {
            0 => (x, [y, z, w]),
            1 => (y, [x, z, w]),
            2 => (z, [x, y, w]),
            _ => (w, [x, y, z]),
        };
        let scale = STEPS.copysign(left_out) / length;
        let mut smallest = Self {
            largest: largest(rotation),
            steps: others.map(|other| nearest_step(other * scale)),
        };
        while !smallest.is_read_back() {
            smallest.shrink();
        }
        Some(smallest)
    }

    /// Moves the largest of the steps one towards 0.
    fn shrink(&mut self) {
        let largest = self.steps.iter().map(|step| step.saturating_abs()).max();
        let mut steps = self.steps.iter_mut();
        if let Some(step) = steps.find(|step| Some(step.saturating_abs()) == largest) {
            *step = step.saturating_sub(step.signum());
        }
    }

    /// Returns whether the decoded rotation has its largest component at this index.
    fn is_read_back(self) -> bool {
        largest(&self.rotation()) == self.largest
    }

    fn rotation(self) -> Quaternion {
        let [a, b, c] = self.steps.map(|step| f64::from(step) / STEPS);
        let left_out = narrow((1.0 - a * a - b * b - c * c).max(0.0).sqrt());
        let [a, b, c] = [a, b, c].map(narrow);
        match self.largest {
            0 => Quaternion::new(left_out, a, b, c),
            1 => Quaternion::new(a, left_out, b, c),
            2 => Quaternion::new(a, b, left_out, c),
            _ => Quaternion::new(a, b, c, left_out),
        }
    }

    fn write(self, writer: &mut NetworkWriter) {
        let largest = u32::try_from(self.largest).unwrap_or_default();
        let bits = self.steps.iter().fold(largest, |bits, step| {
            let field = step.saturating_add(LAST_STEP).cast_unsigned();
            bits.wrapping_shl(10) | field
        });
        writer.write_u32(bits);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let start = reader.mark();
        let bits = reader.read_u32()?;
        let largest = usize::try_from(bits.wrapping_shr(30)).unwrap_or_default();
        let steps = [20, 10, 0].map(|shift| {
            let field = bits.wrapping_shr(shift) & 0x3ff;
            field.cast_signed().saturating_sub(LAST_STEP)
        });
        let read = Self { largest, steps };
        if steps.iter().any(|step| *step > LAST_STEP) || !read.is_read_back() {
            let (what, value) = ("rotation of 32 bits", bits.into());
            return Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }));
        }
        Ok(read)
    }
}

/// Returns the index of the component with the largest magnitude, the first of several.
fn largest(rotation: &Quaternion) -> usize {
    let Quaternion { x, y, z, w } = *rotation;
    let mut found = (0, x.abs());
    for (index, size) in [(1, y.abs()), (2, z.abs()), (3, w.abs())] {
        if size > found.1 {
            found = (index, size);
        }
    }
    found.0
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "no component is above 1 / sqrt(2), but for the last bit"
)]
fn nearest_step(steps: f64) -> i32 {
    (steps.round() as i32).clamp(LAST_STEP.wrapping_neg(), LAST_STEP)
}

/// Writes a rotation without the codec.
#[cold]
fn write_plain(rotation: &Quaternion, writer: &mut NetworkWriter) {
    rotation.write(writer);
}

/// Reads a rotation without the codec.
#[cold]
fn read_plain(reader: &mut NetworkReader<'_>) -> Result<Quaternion, ReadError> {
    Quaternion::read(reader)
}

macro_rules! rotations {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncCodec<$type> for SmallestThree {
            const SCHEMA: TypeSchema = TypeSchema::Encoded {
                codec: "SmallestThree",
                parameters: &[],
                value: &TypeSchema::Named("Quaternion"),
            };

            #[inline]
            fn write(value: &$type, writer: &mut NetworkWriter) {
                if writer.context().plain {
                    return write_plain(&Quaternion::from(*value), writer);
                }
                match Smallest::of(&Quaternion::from(*value)) {
                    Some(smallest) => smallest.write(writer),
                    None => writer.fail(WriteErrorKind::NotANumber),
                }
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<$type, ReadError> {
                if reader.context().plain {
                    return read_plain(reader).map(Into::into);
                }
                Smallest::read(reader).map(|smallest| smallest.rotation().into())
            }

            #[inline]
            fn same(value: &$type, other: &$type) -> bool {
                Smallest::of(&Quaternion::from(*value)) == Smallest::of(&Quaternion::from(*other))
            }
        }
    )*};
}

rotations!(Quaternion);

#[cfg(feature = "glam")]
rotations!(::glam::Quat);
