//! Rotations of 32 bits as Mirror has them: its `Compression.CompressQuaternion`.

use crate::Quaternion;

/// No component but the largest is larger than this, in Mirror's six digits.
#[expect(
    clippy::approx_constant,
    reason = "it is Mirror's, which is not as exact"
)]
const LARGEST: f32 = 0.707_107;
/// The last of the steps that a component can take, 10 bits of them.
const LAST_STEP: f32 = 1023.0;

/// What a rotation of length 1 travels as, of which the component at `largest` is left out: the others as
/// steps from `-LARGEST`, rounded down.
pub(super) fn compress(rotation: [f32; 4], largest: usize) -> u32 {
    let negative = rotation
        .get(largest)
        .is_some_and(|left_out| *left_out < 0.0);
    let mut others = rotation.into_iter().enumerate();
    let others = others.by_ref().filter(|(index, _)| *index != largest);
    let first = u32::try_from(largest).unwrap_or_default();
    others.fold(first, |bits, (_, other)| {
        let other = if negative { -other } else { other };
        bits.wrapping_shl(10) | step(other)
    })
}

/// The number of steps from `-LARGEST` to a component.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the nearest that there is, from 0 to 1023"
)]
fn step(component: f32) -> u32 {
    let part = (component + LARGEST) / (LARGEST + LARGEST);
    (part * LAST_STEP).clamp(0.0, LAST_STEP) as u32
}

/// The rotation that these bits stand for, of length 1 even where three components are too large together
/// to be those of a rotation. The order of the operations is Mirror's: it decides about the last bit.
pub(super) fn decompress(bits: u32) -> Quaternion {
    let [a, b, c] = [20, 10, 0].map(|shift| component(bits.wrapping_shr(shift) & 0x3ff));
    let left_out = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    normalized(match bits.wrapping_shr(30) {
        0 => Quaternion::new(left_out, a, b, c),
        1 => Quaternion::new(a, left_out, b, c),
        2 => Quaternion::new(a, b, left_out, c),
        _ => Quaternion::new(a, b, c, left_out),
    })
}

fn normalized(rotation: Quaternion) -> Quaternion {
    let Quaternion { x, y, z, w } = rotation;
    let length = (x * x + y * y + z * z + w * w).sqrt();
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
    use crate::{Dialect, NetworkReader, NetworkWriter, Quaternion, SmallestThree, SyncCodec};

    fn written(rotation: Quaternion) -> Vec<u8> {
        let mut writer = NetworkWriter::with_dialect(Dialect::Mirror);
        SmallestThree::write(&rotation, &mut writer);
        writer.as_bytes().to_vec()
    }

    fn read(bits: u32) -> Quaternion {
        let bytes = bits.to_le_bytes();
        let mut reader = NetworkReader::with_dialect(&bytes, Dialect::Mirror);
        SmallestThree::read(&mut reader).unwrap()
    }

    #[test]
    fn a_rotation_has_the_bytes_that_mirror_gives_it() {
        assert_eq!(written(Quaternion::IDENTITY), 0xdff7_fdff_u32.to_le_bytes());
        let half = Quaternion::new(-0.5, 0.5, -0.5, 0.5);
        assert_eq!(written(half), 0x095d_a495_u32.to_le_bytes());
    }

    #[test]
    fn what_is_no_rotation_travels_as_none() {
        for none in [
            Quaternion::new(0.0, 0.0, 0.0, 0.0),
            Quaternion::new(f32::NAN, 0.0, 0.0, 1.0),
            Quaternion::new(f32::INFINITY, 0.0, 0.0, 1.0),
        ] {
            assert_eq!(written(none), written(Quaternion::IDENTITY));
        }
    }

    #[test]
    fn any_bits_are_a_rotation() {
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
