//! What UNet's reader makes of a plane or a ray: the last three floats of a ray, which it takes for
//! the direction, and the normal of a plane are normalised.

use super::recorded::Recorded;
use syncvar_testing::golden::{Json, Node};

/// Whether UNet reads these bytes as the recorded value.
pub(crate) fn is_read_as(kind: &str, wire: &[u8], recorded: &Json) -> bool {
    let floats = wire.as_chunks().0.iter();
    let floats: Vec<_> = floats.map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let triple = |key| -> Vec<f32> {
        let floats = recorded.at(key).at("f32").list();
        floats.iter().map(float).collect()
    };
    match (kind, &floats[..]) {
        ("Plane", [normal @ .., distance]) => {
            are_same(&[*distance], &[float(recorded.at("distance").at("bits"))])
                && is_normalised(normal, &triple("normal"))
        }
        ("Ray", [x, y, z, direction @ ..]) => {
            are_same(&[*x, *y, *z], &triple("origin"))
                && is_normalised(direction, &triple("direction"))
        }
        _ => false,
    }
}

fn float(bits: &Json) -> f32 {
    let bits = u32::from_str_radix(bits.text(), 16);
    f32::from_bits(bits.expect("8 hexadecimal digits"))
}

fn are_same(floats: &[f32], others: &[f32]) -> bool {
    let show = |floats: &[f32]| floats.iter().map(Recorded::show).collect::<Vec<_>>();
    show(floats) == show(others)
}

/// Whether a vector is another one made one long, or zero if it was shorter than 0.00001. The
/// recordings do not say what comes of a vector whose length is no `f32`: then each float is as
/// usual, zero, or not a number.
fn is_normalised(vector: &[f32], recorded: &[f32]) -> bool {
    let squares = vector.iter().map(|float| f64::from(*float).powi(2));
    let square: f64 = squares.sum();
    let has_length = square <= f64::from(f32::MAX);
    let length = square.sqrt();
    let is_component = |(float, recorded): (&f32, &f32)| {
        let expected = if length > 1e-5 {
            f64::from(*float) / length
        } else {
            0.0
        };
        let tolerance = 5e-7 * expected.abs() + f64::from(f32::MIN_POSITIVE);
        let is_near = (f64::from(*recorded) - expected).abs() < tolerance;
        is_near || !has_length && (*recorded == 0.0 || recorded.is_nan())
    };
    vector.len() == recorded.len() && vector.iter().zip(recorded).all(is_component)
}

#[test]
fn a_normal_is_one_long() {
    assert!(is_normalised(&[3.0, 0.0, 4.0], &[0.6, 0.0, 0.8]));
    assert!(is_normalised(&[1e-6, 0.0, 0.0], &[0.0; 3]));
    assert!(!is_normalised(&[3.0, 0.0, 4.0], &[0.6, 0.0, 0.801]));
    assert!(!is_normalised(&[3.0, 0.0, 4.0], &[3.0, 0.0, 4.0]));
    assert!(!is_normalised(&[3.0, 0.0, 4.0], &[0.0; 3]));
}
