//! Interpolation of the types of glam and mint.

#[cfg(feature = "glam")]
mod with_glam {
    use glam::{DQuat, DVec2, DVec3, DVec4, Quat, Vec2, Vec3, Vec3A, Vec4};

    use crate::motion::{Interpolate, Spherical};

    /// Types with `lerp`, by their function of the distance.
    macro_rules! values {
        ($distance:ident: $($type:ty),*) => {$(
            impl Interpolate for $type {
                #[inline]
                fn linear(&self, to: &Self, fraction: f32) -> Self {
                    self.lerp(*to, fraction.into())
                }

                #[expect(clippy::allow_attributes, reason = "half of the types have f32")]
                #[allow(clippy::cast_possible_truncation, reason = "the nearest")]
                #[inline]
                fn distance(&self, to: &Self) -> f32 {
                    <$type>::$distance(*self, *to) as f32
                }
            }
        )*};
    }

    values!(distance: Vec2, Vec3, Vec3A, Vec4, DVec2, DVec3, DVec4);
    values!(angle_between: Quat, DQuat);

    macro_rules! rotations {
        ($($type:ty),*) => {$(
            impl Spherical for $type {
                #[inline]
                fn spherical(&self, to: &Self, fraction: f32) -> Self {
                    self.slerp(*to, fraction.into())
                }
            }
        )*};
    }

    rotations!(Quat, DQuat);
}

#[cfg(feature = "mint")]
mod with_mint {
    use mint::{Point2, Point3, Vector2, Vector3, Vector4};

    use crate::Quaternion;
    use crate::motion::interpolate::vectors;
    use crate::motion::{Interpolate, Spherical};

    vectors! {
        Vector2<f32> { x, y }
        Vector3<f32> { x, y, z }
        Vector4<f32> { x, y, z, w }
        Point2<f32> { x, y }
        Point3<f32> { x, y, z }
        Vector2<f64> { x, y }
        Vector3<f64> { x, y, z }
        Vector4<f64> { x, y, z, w }
        Point2<f64> { x, y }
        Point3<f64> { x, y, z }
    }

    impl Interpolate for mint::Quaternion<f32> {
        #[inline]
        fn linear(&self, to: &Self, fraction: f32) -> Self {
            Quaternion::from(*self)
                .linear(&(*to).into(), fraction)
                .into()
        }

        fn distance(&self, to: &Self) -> f32 {
            Quaternion::from(*self).distance(&(*to).into())
        }
    }

    impl Spherical for mint::Quaternion<f32> {
        #[inline]
        fn spherical(&self, to: &Self, fraction: f32) -> Self {
            Quaternion::from(*self)
                .spherical(&(*to).into(), fraction)
                .into()
        }
    }
}
