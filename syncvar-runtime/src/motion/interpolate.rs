//! `Interpolate`: values between two values.

use crate::{Color, Quaternion, Vector2, Vector3, Vector4};

/// A value that can be interpolated, for `#[sync_var(interpolate = linear)]` and `hermite`.
///
/// Numbers, arrays, tuples and the vectors and rotations of this library, of glam and of mint have it. A
/// struct of such members derives it:
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::motion::Interpolate;
///
/// #[derive(SyncValue, Interpolate, Clone, Default)]
/// struct Pose {
///     position: Vector3,
///     heading: f32,
/// }
///
/// let (from, to) = (Pose::default(), Pose { heading: 2.0, ..Pose::default() });
/// assert_eq!(from.linear(&to, 0.25).heading, 0.5);
/// assert_eq!(from.distance(&to), 2.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no values between two others",
    label = "this type does not implement `Interpolate`",
    note = "write `#[derive(Interpolate)]` above a struct of such values, or `interpolate = nearest`"
)]
pub trait Interpolate: Clone + Send + Sync + 'static {
    /// Returns the value at a fraction of the way to a second value. A fraction below 0 or above 1 is beyond the
    /// two.
    #[must_use]
    fn linear(&self, to: &Self, fraction: f32) -> Self;

    /// Returns the distance to a second value: the length of the difference of vectors, the angle between two
    /// rotations in radians.
    fn distance(&self, to: &Self) -> f32;
}

/// A rotation, for `#[sync_var(interpolate = spherical)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rotation",
    label = "this type does not implement `Spherical`",
    note = "write `interpolate = linear` for a vector or a number"
)]
pub trait Spherical: Interpolate {
    /// Returns the rotation at a fraction of the shorter way to a second rotation, at a constant angular velocity,
    /// with the length 1.
    #[must_use]
    fn spherical(&self, to: &Self, fraction: f32) -> Self;
}

impl Interpolate for f32 {
    #[inline]
    fn linear(&self, to: &Self, fraction: f32) -> Self {
        self + (to - self) * fraction
    }

    #[inline]
    fn distance(&self, to: &Self) -> f32 {
        (to - self).abs()
    }
}

impl Interpolate for f64 {
    #[inline]
    fn linear(&self, to: &Self, fraction: f32) -> Self {
        self + (to - self) * Self::from(fraction)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
    #[inline]
    fn distance(&self, to: &Self) -> f32 {
        (to - self).abs() as f32
    }
}

impl<T: Interpolate, const N: usize> Interpolate for [T; N] {
    #[inline]
    fn linear(&self, to: &Self, fraction: f32) -> Self {
        let mut between = self.clone();
        for (value, to) in between.iter_mut().zip(to) {
            *value = value.linear(to, fraction);
        }
        between
    }

    #[inline]
    fn distance(&self, to: &Self) -> f32 {
        let parts = self.iter().zip(to).map(|(from, to)| from.distance(to));
        parts.map(|part| part * part).sum::<f32>().sqrt()
    }
}

/// Tuples: member by member.
macro_rules! tuples {
    ($($($name:ident $index:tt),+;)*) => {$(
        impl<$($name: Interpolate),+> Interpolate for ($($name,)+) {
            #[inline]
            fn linear(&self, to: &Self, fraction: f32) -> Self {
                ($(self.$index.linear(&to.$index, fraction),)+)
            }

            #[inline]
            fn distance(&self, to: &Self) -> f32 {
                let mut square = 0.0;
                $(square += self.$index.distance(&to.$index).powi(2);)+
                square.sqrt()
            }
        }
    )*};
}

tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
}

/// Structs of numbers: component by component.
macro_rules! vectors {
    ($($type:ty { $($part:ident),+ })*) => {$(
        impl Interpolate for $type {
            #[inline]
            fn linear(&self, to: &Self, fraction: f32) -> Self {
                Self { $($part: self.$part.linear(&to.$part, fraction)),+ }
            }

            #[inline]
            fn distance(&self, to: &Self) -> f32 {
                let mut square = 0.0;
                $(square += self.$part.distance(&to.$part).powi(2);)+
                square.sqrt()
            }
        }
    )*};
}

#[cfg(feature = "mint")]
pub(super) use vectors;

vectors! {
    Vector2 { x, y }
    Vector3 { x, y, z }
    Vector4 { x, y, z, w }
    Color { r, g, b, a }
}

impl Interpolate for Quaternion {
    #[inline]
    fn linear(&self, to: &Self, fraction: f32) -> Self {
        from_parts(weighted(parts(*self), parts(*to), |_| {
            [1.0 - fraction, fraction]
        }))
    }

    fn distance(&self, to: &Self) -> f32 {
        let [from, to] = [parts(*self), parts(*to)].map(|parts| {
            let length = dot(parts, parts).sqrt();
            parts.map(|part| part / length)
        });
        // The chord on the shorter way is exact for near rotations, unlike the cosine.
        let sign = 1.0_f32.copysign(dot(from, to));
        let chord = std::array::from_fn(|index| from[index] - sign * to[index]);
        // Rotations without length are not distant: the maximum of 0 and no number is 0.
        let square = dot(chord, chord).max(0.0);
        4.0 * (square.sqrt() / 2.0).asin()
    }
}

impl Spherical for Quaternion {
    #[inline]
    fn spherical(&self, to: &Self, fraction: f32) -> Self {
        /// Cosine of half the angle of 60 degrees.
        const NEAR: f32 = 0.866_025_4;
        from_parts(weighted(parts(*self), parts(*to), |cosine| {
            let shares = [1.0 - fraction, fraction];
            if cosine >= NEAR {
                return shares.map(|share| share_of_arc(share, cosine));
            }
            let arc = cosine.acos();
            shares.map(|share| (share * arc).sin() / arc.sin())
        }))
    }
}

/// Returns `sin(share * arc) / sin(arc)` for a cosine of the arc, without a trigonometric function: the first terms of the
/// Taylor series in `cosine - 1`. The rotation between two that are at most 60 degrees apart differs by less than
/// 0.000001 radians.
#[inline]
fn share_of_arc(share: f32, cosine: f32) -> f32 {
    // Each term is the previous term, times (share^2 - k^2) / (k * (2k + 1)) for k of 1 to 4.
    let (square, near) = (share * share, cosine - 1.0);
    let fourth = (square - 16.0) * (near / 36.0);
    let third = (square - 9.0) * (near / 21.0) * (1.0 + fourth);
    let second = (square - 4.0) * (near / 10.0) * (1.0 + third);
    let first = (square - 1.0) * (near / 3.0) * (1.0 + second);
    share * (1.0 + first)
}

/// Returns the weighted sum of two rotations on the shorter way, with the length 1. The weights depend on the
/// cosine of half the angle between them.
#[inline]
fn weighted(from: [f32; 4], mut to: [f32; 4], weights: impl Fn(f32) -> [f32; 2]) -> [f32; 4] {
    let mut cosine = dot(from, to);
    if cosine < 0.0 {
        cosine = -cosine;
        to = to.map(|part| -part);
    }
    let [before, after] = weights(cosine);
    let mut sum = from.map(|part| part * before);
    for (sum, to) in sum.iter_mut().zip(to) {
        *sum += to * after;
    }
    let length = dot(sum, sum).sqrt();
    if length > 0.0 {
        let scale = length.recip();
        sum.map(|part| part * scale)
    } else {
        to
    }
}

fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    a.into_iter().zip(b).map(|(a, b)| a * b).sum()
}

fn parts(rotation: Quaternion) -> [f32; 4] {
    [rotation.x, rotation.y, rotation.z, rotation.w]
}

fn from_parts([x, y, z, w]: [f32; 4]) -> Quaternion {
    Quaternion { x, y, z, w }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rotation about the vertical axis.
    fn turned(radians: f32) -> Quaternion {
        Quaternion::new(0.0, (radians / 2.0).sin(), 0.0, (radians / 2.0).cos())
    }

    fn assert_near(a: f32, b: f32) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }

    #[test]
    fn numbers_and_vectors_are_interpolated_by_component() {
        assert_near(2.0_f32.linear(&4.0, 0.25), 2.5);
        assert_near(2.0_f32.linear(&4.0, 1.5), 5.0);
        let (from, to) = (Vector3::default(), Vector3::new(2.0, 4.0, 4.0));
        assert_eq!(from.linear(&to, 0.5), Vector3::new(1.0, 2.0, 2.0));
        assert_near(from.distance(&to), 6.0);
        assert_near([0.0_f32, 3.0].distance(&[4.0, 0.0]), 5.0);
        assert_eq!(
            (1.0_f64, [2.0_f32]).linear(&(3.0, [4.0]), 0.5),
            (2.0, [3.0])
        );
    }

    #[test]
    fn rotations_turn_at_constant_velocity_on_the_shorter_way() {
        for angle in [0.01_f32, 0.5, 2.0, 3.0] {
            for fraction in [0.0, 0.2, 0.5, 1.0] {
                for sign in [1.0, -1.0] {
                    let to = from_parts(parts(turned(angle)).map(|part| part * sign));
                    let between = turned(0.0).spherical(&to, fraction);
                    assert_near(turned(0.0).distance(&between), angle * fraction);
                    assert_near(between.distance(&turned(angle * fraction)), 0.0);
                }
            }
        }
        let half = turned(0.0).linear(&turned(2.0), 0.5);
        assert_near(half.distance(&turned(1.0)), 0.0);
    }

    #[test]
    fn near_rotations_need_no_trigonometry() {
        let from = turned(0.7);
        for degrees in [0.0_f32, 0.5, 5.0, 30.0, 59.9, 60.1, 90.0, 179.0] {
            let angle = degrees.to_radians();
            for step in 0..=16_u8 {
                let fraction = f32::from(step) / 16.0;
                let between = from.spherical(&turned(0.7 + angle), fraction);
                // The sine is exact near 0, unlike the cosine.
                let [x, y, z, w] = parts(between);
                let expected = 0.35 + angle * fraction / 2.0;
                let error = 2.0 * (y * expected.cos() - w * expected.sin());
                assert!(error.abs() < 1e-6, "{error} at {degrees}, {fraction}");
                assert!((x * x + y * y + z * z + w * w - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_rotation_without_length_is_replaced_by_the_other_one() {
        let none = Quaternion::new(0.0, 0.0, 0.0, 0.0);
        assert_eq!(none.linear(&none, 0.5), none);
        assert_near(none.linear(&turned(1.0), 0.5).distance(&turned(1.0)), 0.0);
    }
}
