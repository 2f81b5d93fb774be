//! What a codec that loses something is off by, at most.

use proptest::prelude::*;
use syncvar::{
    codec::{Half, Quantized, SmallestThree, SyncCodec},
    values::{Color, Quaternion, Vector3},
    wire::NetworkReader,
};

use crate::codecs::travel;

/// The error of a quantised float, and what its documentation allows.
macro_rules! quantized {
    ($value:expr, $min:literal, $max:literal, $per_unit:literal) => {{
        let value: f32 = $value;
        type Steps = Quantized<$min, $max, $per_unit>;
        let (_, read) = travel::<Steps, _>(&value);
        let (bytes, wide) = travel::<Steps, _>(&f64::from(value));
        assert!(bytes.len() <= 4);
        let (min, max) = (f64::from($min), f64::from($max));
        let wanted = f64::from(value).clamp(min, max);
        let half_a_step = 0.5 / f64::from($per_unit);
        let computed = half_a_step * 2e-6;
        let rounded = min.abs().max(max.abs()) * 2_f64.powi(-24);
        let (off, off_wide) = ((f64::from(read) - wanted).abs(), (wide - wanted).abs());
        assert!(
            off <= half_a_step + computed + rounded,
            "{value} became {read}"
        );
        assert!(off_wide <= half_a_step + computed, "{value} became {wide}");
    }};
}

fn any_float() -> impl Strategy<Value = f32> {
    let bits = any::<u32>().prop_map(f32::from_bits);
    prop_oneof![
        bits,
        -600.0..600.0_f32,
        -1.1..1.1_f32,
        Just(f32::NAN),
        Just(-0.0)
    ]
}

proptest! {
    #![proptest_config(syncvar_testing::cases(2000))]

    #[test]
    fn a_quantised_float_is_off_by_half_a_step_at_most(value in any_float()) {
        prop_assume!(!value.is_nan());
        quantized!(value, -1, 1, 127);
        quantized!(value, 0, 1, 255);
        quantized!(value, -500, 500, 10);
        quantized!(value, -500, 500, 100);
        quantized!(value, -1, 1, 1_000_000);
        quantized!(value, -2_147_483_648, 2_147_483_647, 1);
    }

    #[test]
    fn a_half_is_off_by_its_last_bit_at_most(value in any_float(), small in -1e-4..1e-4_f32) {
        for value in [value, small] {
            let (bytes, read) = travel::<Half, _>(&value);
            let (wide_bytes, wide) = travel::<Half, _>(&f64::from(value));
            prop_assert_eq!(bytes, wide_bytes);
            prop_assert!(f64::from(read).to_bits() == wide.to_bits() || read.is_nan() && wide.is_nan());
            let (size, off) = (f64::from(value).abs(), (f64::from(read) - f64::from(value)).abs());
            if value.is_nan() {
                prop_assert!(read.is_nan());
            } else if size < 2_f64.powi(-14) {
                prop_assert!(off <= 2_f64.powi(-25), "{} became {}", value, read);
            } else if size <= 65504.0 {
                prop_assert!(off <= size * 2_f64.powi(-11), "{} became {}", value, read);
            } else if size < 65520.0 {
                prop_assert_eq!(read, 65504.0_f32.copysign(value));
            } else {
                prop_assert_eq!(read, f32::INFINITY.copysign(value));
            }
            prop_assert!(read.is_nan() || read.is_sign_negative() == value.is_sign_negative());
        }
    }

    #[test]
    fn a_half_of_an_f64_is_off_by_no_more_than_the_two_roundings(value in -65504.0..65504.0_f64) {
        let (_, read) = travel::<Half, _>(&value);
        let allowed = 2_f64.powi(-11) + 2_f64.powi(-24);
        prop_assert!((read - value).abs() <= value.abs() * allowed + 2_f64.powi(-25));
    }

    #[test]
    fn rotation_error_is_about_a_quarter_degree_at_most(
        parts in proptest::array::uniform4(-1.0..1.0_f32),
        tie in proptest::array::uniform4(0..3_usize),
        nudge in proptest::array::uniform4(-1e-3..1e-3_f32),
    ) {
        // As it comes, and with components of about the same size.
        let [x, y, z, w] = parts;
        check_rotation(&Quaternion::new(x, y, z, w));
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| [-0.5, 0.0, 0.5][tie[i]] + nudge[i]);
        check_rotation(&Quaternion::new(x, y, z, w));
    }
}

/// A rotation travels, and is off by no more than the documentation says.
fn check_rotation(rotation: &Quaternion) {
    let Quaternion { x, y, z, w } = *rotation;
    let parts = [x, y, z, w].map(f64::from);
    let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    let (bytes, read) = travel::<SmallestThree, _>(rotation);
    let negated = Quaternion::new(-x, -y, -z, -w);
    assert!(SmallestThree::same(rotation, &negated) && bytes.len() == 4);
    if length == 0.0 {
        assert_eq!(read, Quaternion::IDENTITY);
        return;
    }
    let unit = parts.map(|part| part / length);
    let read = [read.x, read.y, read.z, read.w].map(f64::from);
    let read_length = read.iter().map(|part| part * part).sum::<f64>().sqrt();
    assert!(
        (read_length - 1.0).abs() < 2e-7,
        "a rotation is read: {read:?}"
    );
    let dot: f64 = unit.iter().zip(read).map(|(a, b)| a * b).sum();
    let off = |sign: f64| {
        let offs = unit.iter().zip(read).map(|(a, b)| (a * sign - b).abs());
        offs.fold(0.0, f64::max)
    };
    let component = off(dot.signum());
    // Of the angle between two rotations, the dot product is the cosine of half.
    let angle = 2.0 * (dot.abs() / read_length).min(1.0).acos().to_degrees();
    assert!(component <= 0.0022, "{rotation:?} is off by {component}");
    assert!(angle <= 0.28, "{rotation:?} is off by {angle} degrees");
}

#[test]
fn every_half_is_read_and_written_as_the_same_bytes() {
    for bits in 0..=u16::MAX {
        let bytes = bits.to_le_bytes();
        let read: f32 = Half::read(&mut NetworkReader::new(&bytes)).unwrap();
        let (written, _) = travel::<Half, _>(&read);
        // All NaNs are one.
        let expected = if read.is_nan() { [0x00, 0x7e] } else { bytes };
        assert_eq!(written, expected, "{read}");
    }
}

#[test]
fn half_steps_round_up_and_excess_clamps() {
    type Tenths = Quantized<-1, 1, 10>;
    let read = |value: f32| travel::<Tenths, _>(&value).1;
    assert_eq!(read(0.05), 0.1);
    assert_eq!(read(-0.25), -0.2);
    assert_eq!([read(1.0), read(7.0), read(f32::INFINITY)], [1.0; 3]);
    assert_eq!([read(-1.0), read(-7.0), read(f32::NEG_INFINITY)], [-1.0; 3]);
    assert_eq!(read(-0.0).to_bits(), 0.0_f32.to_bits());
}

#[test]
fn a_quantised_float_takes_as_few_bytes_as_hold_its_steps() {
    assert_eq!(travel::<Quantized<0, 255, 1>, _>(&255.0_f32).0, [255]);
    assert_eq!(travel::<Quantized<0, 256, 1>, _>(&256.0_f32).0, [0, 1]);
    assert_eq!(
        travel::<Quantized<0, 65535, 1>, _>(&65535.0_f32).0,
        [255; 2]
    );
    assert_eq!(
        travel::<Quantized<0, 65536, 1>, _>(&65536.0_f32).0,
        [0, 0, 1]
    );
    assert_eq!(
        travel::<Quantized<0, 16_777_215, 1>, _>(&16_777_215.0_f64).0,
        [255; 3]
    );
    assert_eq!(
        travel::<Quantized<0, 16_777_216, 1>, _>(&16_777_216.0_f64).0,
        [0, 0, 0, 1]
    );
    type All = Quantized<-2_147_483_648, 2_147_483_647, 1>;
    assert_eq!(travel::<All, _>(&2_147_483_647.0_f64).0, [255; 4]);
}

#[test]
fn zero_quaternion_travels_as_zero() {
    let identity = travel::<SmallestThree, _>(&Quaternion::IDENTITY).0;
    for [x, y, z, w] in [[0.0; 4], [0.0, 0.0, 0.0, -3.0]] {
        let rotation = Quaternion::new(x, y, z, w);
        let mut writer = syncvar::wire::NetworkWriter::new();
        SmallestThree::write(&rotation, &mut writer);
        assert_eq!(writer.as_bytes(), identity, "{rotation:?}");
    }
    check_rotation(&Quaternion::new(0.5, 0.5, 0.5, 0.5));
    check_rotation(&Quaternion::new(0.5, -0.5, 0.5, -0.5));
    check_rotation(&Quaternion::new(f32::MAX, 0.0, f32::MAX, 1.0));
    check_rotation(&Quaternion::new(f32::MIN_POSITIVE, 1e-45, 0.0, 0.0));
}

/// Every codec of floats encodes each component of whatever is made of them.
#[test]
fn float_composites_travel_like_their_floats() {
    type Steps = Quantized<-10, 10, 10>;
    let vector = Vector3::new(1.0, -1.5, 9.96);
    let (bytes, read) = travel::<Steps, _>(&vector);
    assert_eq!(
        (bytes, read),
        (vec![110, 85, 200], Vector3::new(1.0, -1.5, 10.0))
    );
    let (bytes, _) = travel::<Half, _>(&Color::new(1.0, 0.5, 0.0, -2.0));
    assert_eq!(hex::encode(bytes), "003c0038000000c0");
    assert_eq!(
        travel::<Half, _>(&[1.0_f32, 0.5]).0,
        [0x00, 0x3c, 0x00, 0x38]
    );
    assert_eq!(travel::<Half, [f32; 0]>(&[]).0, [0_u8; 0]);
}
