//! Conversions between the engine-neutral types and the types of glam and mint, both ways.

/// Conversions of structs with the same fields.
#[cfg(any(feature = "glam", feature = "mint"))]
macro_rules! same_components {
    ($($ours:ident, $theirs:ty: $($component:ident),+;)*) => {$(
        impl From<$theirs> for $ours {
            fn from(theirs: $theirs) -> Self {
                Self { $($component: theirs.$component),+ }
            }
        }

        impl From<$ours> for $theirs {
            fn from(ours: $ours) -> Self {
                let $ours { $($component),+ } = ours;
                <$theirs>::from([$($component),+])
            }
        }
    )*};
}

#[cfg(feature = "glam")]
mod glam {
    use super::super::{
        Color, Matrix4x4, Quaternion, Vector2, Vector2Int, Vector3, Vector3Int, Vector4,
    };

    same_components! {
        Vector2, ::glam::Vec2: x, y;
        Vector3, ::glam::Vec3: x, y, z;
        Vector4, ::glam::Vec4: x, y, z, w;
        Vector2Int, ::glam::IVec2: x, y;
        Vector3Int, ::glam::IVec3: x, y, z;
    }

    impl From<::glam::Quat> for Quaternion {
        fn from(theirs: ::glam::Quat) -> Self {
            Self::new(theirs.x, theirs.y, theirs.z, theirs.w)
        }
    }

    impl From<Quaternion> for ::glam::Quat {
        fn from(ours: Quaternion) -> Self {
            Self::from_xyzw(ours.x, ours.y, ours.z, ours.w)
        }
    }

    impl From<::glam::Vec4> for Color {
        fn from(theirs: ::glam::Vec4) -> Self {
            Self::new(theirs.x, theirs.y, theirs.z, theirs.w)
        }
    }

    impl From<Color> for ::glam::Vec4 {
        fn from(ours: Color) -> Self {
            Self::new(ours.r, ours.g, ours.b, ours.a)
        }
    }

    /// `Matrix4x4` stores rows, glam columns of the same matrix.
    impl From<::glam::Mat4> for Matrix4x4 {
        fn from(theirs: ::glam::Mat4) -> Self {
            Self {
                rows: theirs.transpose().to_cols_array_2d(),
            }
        }
    }

    /// `Matrix4x4` stores rows, glam columns of the same matrix.
    impl From<Matrix4x4> for ::glam::Mat4 {
        fn from(ours: Matrix4x4) -> Self {
            Self::from_cols_array_2d(&ours.rows).transpose()
        }
    }
}

#[cfg(feature = "mint")]
mod mint {
    use super::super::{Matrix4x4, Quaternion, Vector2, Vector2Int, Vector3, Vector3Int, Vector4};

    same_components! {
        Vector2, ::mint::Vector2<f32>: x, y;
        Vector3, ::mint::Vector3<f32>: x, y, z;
        Vector4, ::mint::Vector4<f32>: x, y, z, w;
        Vector2Int, ::mint::Vector2<i32>: x, y;
        Vector3Int, ::mint::Vector3<i32>: x, y, z;
        Vector2, ::mint::Point2<f32>: x, y;
        Vector3, ::mint::Point3<f32>: x, y, z;
    }

    impl From<::mint::Quaternion<f32>> for Quaternion {
        fn from(theirs: ::mint::Quaternion<f32>) -> Self {
            Self::new(theirs.v.x, theirs.v.y, theirs.v.z, theirs.s)
        }
    }

    impl From<Quaternion> for ::mint::Quaternion<f32> {
        fn from(ours: Quaternion) -> Self {
            Self {
                v: [ours.x, ours.y, ours.z].into(),
                s: ours.w,
            }
        }
    }

    impl From<::mint::RowMatrix4<f32>> for Matrix4x4 {
        fn from(theirs: ::mint::RowMatrix4<f32>) -> Self {
            Self {
                rows: theirs.into(),
            }
        }
    }

    impl From<Matrix4x4> for ::mint::RowMatrix4<f32> {
        fn from(ours: Matrix4x4) -> Self {
            ours.rows.into()
        }
    }
}

#[cfg(all(test, feature = "glam", feature = "mint"))]
mod tests {
    use super::super::{
        Color, Matrix4x4, Quaternion, Vector2, Vector2Int, Vector3, Vector3Int, Vector4,
    };

    #[test]
    fn glam_and_back() {
        let (v2, v3) = (Vector2::new(1.0, 2.0), Vector3::new(1.0, 2.0, 3.0));
        let v4 = Vector4::new(1.0, 2.0, 3.0, 4.0);
        assert_eq!(Vector2::from(::glam::Vec2::from(v2)), v2);
        assert_eq!(::glam::Vec3::from(v3), ::glam::Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(Vector3::from(::glam::Vec3::from(v3)), v3);
        assert_eq!(Vector4::from(::glam::Vec4::from(v4)), v4);
        let q = Quaternion::new(0.1, 0.2, 0.3, 0.4);
        assert_eq!(Quaternion::from(::glam::Quat::from(q)), q);
        let color = Color::new(0.1, 0.2, 0.3, 0.4);
        assert_eq!(Color::from(::glam::Vec4::from(color)), color);
        let (v2, v3) = (Vector2Int::new(-1, 2), Vector3Int::new(1, -2, 3));
        assert_eq!(Vector2Int::from(::glam::IVec2::from(v2)), v2);
        assert_eq!(::glam::IVec3::from(v3), ::glam::IVec3::new(1, -2, 3));
        assert_eq!(Vector3Int::from(::glam::IVec3::from(v3)), v3);
    }

    #[test]
    fn a_matrix_keeps_its_rows() {
        let mut ours = Matrix4x4::default();
        ours.rows[0][3] = 5.0; // a translation along x
        let theirs = ::glam::Mat4::from(ours);
        assert_eq!(theirs.w_axis.x.to_bits(), 5.0_f32.to_bits());
        assert_eq!(Matrix4x4::from(theirs), ours);
        let mint = ::mint::RowMatrix4::<f32>::from(ours);
        assert_eq!(mint.x.w.to_bits(), 5.0_f32.to_bits());
        assert_eq!(Matrix4x4::from(mint), ours);
    }

    #[test]
    fn mint_and_back() {
        let v3 = Vector3::new(1.0, 2.0, 3.0);
        assert_eq!(Vector3::from(::mint::Vector3::from(v3)), v3);
        assert_eq!(Vector3::from(::mint::Point3::from(v3)), v3);
        let v2 = Vector2::new(1.0, 2.0);
        assert_eq!(Vector2::from(::mint::Point2::from(v2)), v2);
        let q = Quaternion::new(0.1, 0.2, 0.3, 0.4);
        assert_eq!(Quaternion::from(::mint::Quaternion::from(q)), q);
        let v2 = Vector2Int::new(-1, 2);
        assert_eq!(Vector2Int::from(::mint::Vector2::from(v2)), v2);
        let v3 = Vector3Int::new(1, -2, 3);
        assert_eq!(Vector3Int::from(::mint::Vector3::from(v3)), v3);
    }
}
