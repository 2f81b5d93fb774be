//! Vectors and rotations, in the arithmetic of Unity.

use syncvar_runtime::{Quaternion, Vector3};

use super::compression::to_steps;

/// Dot product from which two rotations count as equal. Unity, `Quaternion.kEpsilon`.
const SAME_ROTATION: f32 = 1.0 - 0.000_001;
/// Degrees of a radian. Unity, `Mathf.Rad2Deg`.
const DEGREES: f32 = 57.29578;

pub(crate) fn subtract(a: Vector3, b: Vector3) -> Vector3 {
    Vector3::new(a.x - b.x, a.y - b.y, a.z - b.z)
}

pub(crate) fn add(a: Vector3, b: Vector3) -> Vector3 {
    Vector3::new(a.x + b.x, a.y + b.y, a.z + b.z)
}

/// Returns the rotation by `b`, and then by `a`.
pub(crate) fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    Quaternion {
        x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        y: a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
        z: a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    }
}

/// Returns the rotation back, of a rotation with the length 1.
pub(crate) fn inverse(rotation: Quaternion) -> Quaternion {
    let Quaternion { x, y, z, w } = rotation;
    Quaternion::new(-x, -y, -z, w)
}

pub(crate) fn square_length(v: Vector3) -> f32 {
    v.x * v.x + v.y * v.y + v.z * v.z
}

pub(crate) fn axes(v: Vector3) -> [f32; 3] {
    [v.x, v.y, v.z]
}

pub(crate) fn from_axes([x, y, z]: [f32; 3]) -> Vector3 {
    Vector3::new(x, y, z)
}

pub(crate) fn parts(q: Quaternion) -> [f32; 4] {
    [q.x, q.y, q.z, q.w]
}

pub(crate) fn is_finite(v: Vector3) -> bool {
    axes(v).into_iter().all(f32::is_finite)
}

/// Returns components in whole steps.
pub(crate) fn steps<const N: usize>(components: [f32; N], precision: f32) -> [i64; N] {
    components.map(|component| to_steps(component, precision).0)
}

/// Returns the point at a fraction of the way from `a` to `b`.
pub(crate) fn lerp(a: Vector3, b: Vector3, fraction: f32) -> Vector3 {
    let on = |a: f32, b: f32| a + (b - a) * fraction;
    Vector3::new(on(a.x, b.x), on(a.y, b.y), on(a.z, b.z))
}

fn dot(a: Quaternion, b: Quaternion) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w
}

/// Returns the angle between two rotations in degrees. Unity, `Quaternion.Angle`.
#[expect(clippy::cast_possible_truncation, reason = "as in Unity")]
pub(crate) fn angle(a: Quaternion, b: Quaternion) -> f32 {
    let dot = dot(a, b).abs().min(1.0);
    if dot > SAME_ROTATION {
        return 0.0;
    }
    f64::from(dot).acos() as f32 * 2.0 * DEGREES
}

/// Returns the rotation at a fraction of the shorter way from `a` to `b`, with the length 1.
#[expect(clippy::cast_possible_truncation, reason = "the nearest")]
pub(crate) fn slerp(from: Quaternion, to: Quaternion, fraction: f64) -> Quaternion {
    /// Cosine from which the arc is straight.
    const STRAIGHT: f64 = 0.999_999_5;
    let (from, mut to) = (parts(from).map(f64::from), parts(to).map(f64::from));
    let mut dot: f64 = from.iter().zip(to).map(|(from, to)| from * to).sum();
    if dot < 0.0 {
        dot = -dot;
        to = to.map(|part| -part);
    }
    let weights = if dot > STRAIGHT {
        [1.0 - fraction, fraction]
    } else {
        let arc = dot.acos();
        [(1.0 - fraction) * arc, fraction * arc].map(|part| part.sin() / arc.sin())
    };
    let mut sum = [0.0; 4];
    for ((sum, from), to) in sum.iter_mut().zip(from).zip(to) {
        *sum = from * weights[0] + to * weights[1];
    }
    let length = sum.iter().map(|part| part * part).sum::<f64>().sqrt();
    let [x, y, z, w] = sum.map(|part| (part / length) as f32);
    Quaternion::new(x, y, z, w)
}

/// Returns the rotation of Euler angles in degrees. Unity turns about z, then x, then y.
#[expect(clippy::cast_possible_truncation, reason = "the nearest")]
pub(crate) fn from_euler(degrees: Vector3) -> Quaternion {
    let half = axes(degrees).map(|angle| (f64::from(angle) / 2.0).to_radians());
    let [(sx, cx), (sy, cy), (sz, cz)] = half.map(f64::sin_cos);
    Quaternion {
        x: (cy * sx * cz + sy * cx * sz) as f32,
        y: (sy * cx * cz - cy * sx * sz) as f32,
        z: (cy * cx * sz - sy * sx * cz) as f32,
        w: (cy * cx * cz + sy * sx * sz) as f32,
    }
}

/// Returns the Euler angles of a rotation in degrees, from 0 to 360.
#[expect(clippy::cast_possible_truncation, reason = "the nearest")]
pub(crate) fn euler(rotation: Quaternion) -> Vector3 {
    /// Half sine from which the rotation looks straight up or down.
    const POLE: f64 = 0.499_999_5;
    let [x, y, z, w] = parts(rotation).map(f64::from);
    let square = x * x + y * y + z * z + w * w;
    let sine = x * w - y * z;
    let radians = if sine > POLE * square {
        [std::f64::consts::FRAC_PI_2, 2.0 * y.atan2(x), 0.0]
    } else if sine < -POLE * square {
        [-std::f64::consts::FRAC_PI_2, -2.0 * y.atan2(x), 0.0]
    } else {
        [
            (2.0 * (w * x - y * z) / square).asin(),
            (2.0 * w * y + 2.0 * z * x).atan2(square - 2.0 * (x * x + y * y)),
            (2.0 * w * z + 2.0 * x * y).atan2(square - 2.0 * (z * z + x * x)),
        ]
    };
    from_axes(radians.map(|angle| angle.to_degrees().rem_euclid(360.0) as f32))
}
