//! `components_*.json`: Mirror's components.

pub(crate) mod animator;
pub(crate) mod compression;
pub(crate) mod interest;
pub(crate) mod lag;
pub(crate) mod names;
pub(crate) mod predicted_rigidbody;
pub(crate) mod prediction;
pub(crate) mod session_client;
pub(crate) mod session_server;
pub(crate) mod sessions;
pub(crate) mod side;
pub(crate) mod snapshots;
pub(crate) mod timeline;
pub(crate) mod transforms;

use serde_json::Value;
use syncvar::values::{Quaternion, Vector3};

use super::json::Json;

/// A float of eight digits, the most significant one first.
pub(crate) fn float(json: &Value) -> f32 {
    floats::<1>(json)[0]
}

/// Several floats in one text.
pub(crate) fn floats<const N: usize>(json: &Value) -> [f32; N] {
    let bytes = json.hex();
    assert_eq!(bytes.len(), 4 * N, "{N} floats, not {}", json.brief());
    std::array::from_fn(|index| {
        let bytes: [u8; 4] = bytes[4 * index..][..4].try_into().expect("four bytes");
        f32::from_be_bytes(bytes)
    })
}

pub(crate) fn vector(json: &Value) -> Vector3 {
    let [x, y, z] = floats(json);
    Vector3::new(x, y, z)
}

pub(crate) fn rotation(json: &Value) -> Quaternion {
    let [x, y, z, w] = floats(json);
    Quaternion::new(x, y, z, w)
}

/// The bits of a rotation, for comparisons.
pub(crate) fn bits(rotation: Quaternion) -> [u32; 4] {
    let Quaternion { x, y, z, w } = rotation;
    [x, y, z, w].map(f32::to_bits)
}

/// The bits of floating-point numbers.
pub(crate) fn double_bits<const N: usize>(numbers: [f64; N]) -> [u64; N] {
    // `0.0` and `-0.0` are one number in the recordings.
    numbers.map(|number| (number + 0.0).to_bits())
}
