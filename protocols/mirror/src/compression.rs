//! `CompressedQuaternion`: Mirror's rotations of 32 bits.

use syncvar_runtime::{NetworkReader, NetworkWriter, Quaternion, ReadError, SyncCodec, TypeSchema};

/// Rotations in 32 bits, equal to Mirror's `Compression.CompressQuaternion` bit for bit, in both
/// directions. No variable of Mirror uses it by default: the C# side reads it by
/// `Compression.DecompressQuaternion(reader.ReadUInt())`.
///
/// | bits | content |
/// |---|---|
/// | 31, 30 | index of the largest component by magnitude, the first of equal ones: 0 to 3 for x, y, z, w |
/// | 29 to 20, 19 to 10, 9 to 0 | the others in order: `(component + 0.707107) / 1.414214 * 1023`, rounded down |
///
/// A `u32` of four bytes. The rotation should have length 1; it is negated if its largest component
/// is negative. Invalid rotations, of length zero or with NaN or infinite components, are written
/// as [`Quaternion::IDENTITY`]. Any bits are read as a rotation of length 1:
/// the identity, if they are of none.
///
/// Steps are rounded down, not to the nearest: a value read and written again may lose a step.
/// [`SmallestThree`](syncvar_runtime::SmallestThree) has as many bits and more precision, if both
/// sides are `syncvar`.
///
/// ```
/// use syncvar::mirror::CompressedQuaternion;
/// use syncvar::{codec::SyncCodec, values::Quaternion, wire::{Encoding, NetworkWriter}};
///
/// let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
/// CompressedQuaternion::write(&Quaternion::IDENTITY, &mut writer);
/// assert_eq!(writer.as_bytes(), b"\xff\xfd\xf7\xdf");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CompressedQuaternion;

#[diagnostic::do_not_recommend]
impl SyncCodec<Quaternion> for CompressedQuaternion {
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "CompressedQuaternion",
        parameters: &[],
        value: &TypeSchema::Named("Quaternion"),
    };

    fn write(value: &Quaternion, writer: &mut NetworkWriter) {
        writer.write_u32(compress(value));
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Quaternion, ReadError> {
        reader.read_u32().map(decompress)
    }

    fn same(value: &Quaternion, other: &Quaternion) -> bool {
        compress(value) == compress(other)
    }
}

/// Limit of the other three components, in Mirror's six digits.
#[expect(
    clippy::approx_constant,
    reason = "it is Mirror's, which is not as exact"
)]
const LARGEST: f32 = 0.707_107;
/// Last step of a component of 10 bits.
const LAST_STEP: f32 = 1023.0;

/// Returns the bits of a rotation.
pub(crate) fn compress(rotation: &Quaternion) -> u32 {
    let Quaternion { x, y, z, w } = *rotation;
    let length = x * x + y * y + z * z + w * w;
    if !(length > 0.0 && length.is_finite()) {
        return compress(&Quaternion::IDENTITY);
    }
    let (first, negative, others) = match largest([x, y, z, w]) {
        0 => (0, x < 0.0, [y, z, w]),
        1 => (1, y < 0.0, [x, z, w]),
        2 => (2, z < 0.0, [x, y, w]),
        _ => (3, w < 0.0, [x, y, z]),
    };
    others.into_iter().fold(first, |bits: u32, other| {
        let other = if negative { -other } else { other };
        bits.wrapping_shl(10) | step(other)
    })
}

/// Returns the index of the largest component by magnitude, the first of equal ones.
fn largest(components: [f32; 4]) -> u32 {
    let mut found = (0, 0.0);
    for (index, component) in (0..).zip(components) {
        if component.abs() > found.1 {
            found = (index, component.abs());
        }
    }
    found.0
}

/// Returns the number of steps from `-LARGEST` to a component.
///
/// A component beyond the limit, of a rotation that is longer than 1, overflows as in C#: the cast to 32
/// bits keeps the low 16.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the casts of C#"
)]
fn step(component: f32) -> u32 {
    let part = (component + LARGEST) / (LARGEST + LARGEST);
    u32::from((part * LAST_STEP) as i32 as u16)
}

/// Returns the rotation of these bits, of length 1: the identity if the three components are too large for
/// a rotation. The operations have Mirror's order, which decides the last bit.
pub(crate) fn decompress(bits: u32) -> Quaternion {
    let [a, b, c] = [20, 10, 0].map(|shift| component(bits.wrapping_shr(shift) & 0x3ff));
    let left_out = (1.0 - a * a - b * b - c * c).sqrt();
    normalized(match bits.wrapping_shr(30) {
        0 => Quaternion::new(left_out, a, b, c),
        1 => Quaternion::new(a, left_out, b, c),
        2 => Quaternion::new(a, b, left_out, c),
        _ => Quaternion::new(a, b, c, left_out),
    })
}

/// Returns a rotation with the length 1; the identity for one without a length.
pub(crate) fn normalized(rotation: Quaternion) -> Quaternion {
    let Quaternion { x, y, z, w } = rotation;
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if length.is_nan() || length < f32::MIN_POSITIVE {
        return Quaternion::IDENTITY;
    }
    Quaternion::new(x / length, y / length, z / length, w / length)
}

#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "at most 1023"
)]
fn component(step: u32) -> f32 {
    let part = step as f32 / LAST_STEP;
    part * (LARGEST + LARGEST) - LARGEST
}

#[cfg(test)]
mod tests {
    use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter, Quaternion, SyncCodec};

    use super::CompressedQuaternion;

    fn written(rotation: Quaternion) -> Vec<u8> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        CompressedQuaternion::write(&rotation, &mut writer);
        writer.as_bytes().to_vec()
    }

    fn read(bits: u32) -> Quaternion {
        let bytes = bits.to_le_bytes();
        let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
        CompressedQuaternion::read(&mut reader).unwrap()
    }

    #[test]
    fn rotations_have_the_bits_of_mirror() {
        assert_eq!(written(Quaternion::IDENTITY), 0xdff7_fdff_u32.to_le_bytes());
        let half = Quaternion::new(-0.5, 0.5, -0.5, 0.5);
        assert_eq!(written(half), 0x095d_a495_u32.to_le_bytes());
    }

    #[test]
    fn invalid_rotations_become_the_identity() {
        for none in [
            Quaternion::new(0.0, 0.0, 0.0, 0.0),
            Quaternion::new(f32::NAN, 0.0, 0.0, 1.0),
            Quaternion::new(f32::INFINITY, 0.0, 0.0, 1.0),
        ] {
            assert_eq!(written(none), written(Quaternion::IDENTITY));
        }
    }

    #[test]
    fn any_bits_read_as_a_unit_rotation() {
        for bits in [
            0,
            u32::MAX,
            0x3fff_ffff,
            0x8000_0000,
            0x5555_5555,
            0xaaaa_aaaa,
        ] {
            let Quaternion { x, y, z, w } = read(bits);
            let length = x * x + y * y + z * z + w * w;
            assert!((length - 1.0).abs() < 1e-5, "{bits:x}: {length}");
        }
    }
}
