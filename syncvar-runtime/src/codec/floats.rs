//! `Floats`: what is made of floats and nothing else.

use crate::schema::TypeSchema;
use crate::{Color, Quaternion, ReadError, Rect, SyncValue, Vector2, Vector3, Vector4};

/// What is made of so many `f32` and nothing else: [`Half`](crate::Half) and
/// [`Quantized`](crate::Quantized) encode each of them.
///
/// Numbers, the engine-neutral vectors and colours, arrays, and with the features `glam` and `mint`
/// their vectors. Implement it for structs of your own:
///
/// ```
/// use syncvar_runtime::{Floats, Half, NetworkWriter, ReadError, SyncCodec, TypeSchema};
///
/// #[derive(Clone)]
/// struct Spring {
///     stiffness: f32,
///     damping: f32,
/// }
///
/// impl Floats for Spring {
///     const SCHEMA: TypeSchema = TypeSchema::Named("Spring");
///
///     fn components(&self) -> impl Iterator<Item = f32> {
///         [self.stiffness, self.damping].into_iter()
///     }
///     fn from_components(
///         mut next: impl FnMut() -> Result<f32, ReadError>,
///     ) -> Result<Self, ReadError> {
///         Ok(Self { stiffness: next()?, damping: next()? })
///     }
/// }
///
/// let mut writer = NetworkWriter::new();
/// Half::write(&Spring { stiffness: 1.0, damping: 0.5 }, &mut writer);
/// assert_eq!(writer.as_bytes().len(), 4);
/// ```
pub trait Floats: Clone + Send + Sync + 'static {
    /// What both ends compare at connect, inside of what the codec says.
    const SCHEMA: TypeSchema;

    /// The floats, always as many, in the order in which they travel.
    fn components(&self) -> impl Iterator<Item = f32>;

    /// Makes one of floats in the same order, each of which `next` returns.
    ///
    /// # Errors
    ///
    /// Those of `next`.
    fn from_components(next: impl FnMut() -> Result<f32, ReadError>) -> Result<Self, ReadError>;
}

/// The nearest `f32`; infinite beyond the largest.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "rounds to nearest, as it should"
)]
pub(super) const fn narrow(value: f64) -> f32 {
    value as f32
}

impl Floats for f32 {
    const SCHEMA: TypeSchema = <Self as SyncValue>::SCHEMA;

    #[inline]
    fn components(&self) -> impl Iterator<Item = f32> {
        std::iter::once(*self)
    }

    #[inline]
    fn from_components(
        mut next: impl FnMut() -> Result<f32, ReadError>,
    ) -> Result<Self, ReadError> {
        next()
    }
}

impl<const N: usize> Floats for [f32; N] {
    const SCHEMA: TypeSchema = TypeSchema::Array(&TypeSchema::Named("f32"), N);

    #[inline]
    fn components(&self) -> impl Iterator<Item = f32> {
        self.iter().copied()
    }

    #[inline]
    fn from_components(
        mut next: impl FnMut() -> Result<f32, ReadError>,
    ) -> Result<Self, ReadError> {
        let mut array = [0.0; N];
        for component in &mut array {
            *component = next()?;
        }
        Ok(array)
    }
}

/// Structs that are nothing but `f32`; one of another crate has the schema of ours.
macro_rules! structs {
    ($($type:ty as $ours:ident { $($component:ident),+ })*) => {$(
        impl Floats for $type {
            const SCHEMA: TypeSchema = TypeSchema::Named(stringify!($ours));

            #[inline]
            fn components(&self) -> impl Iterator<Item = f32> {
                [$(self.$component),+].into_iter()
            }

            #[inline]
            fn from_components(
                mut next: impl FnMut() -> Result<f32, ReadError>,
            ) -> Result<Self, ReadError> {
                Ok($ours { $($component: next()?),+ }.into())
            }
        }
    )*};
}

structs! {
    Vector2 as Vector2 { x, y }
    Vector3 as Vector3 { x, y, z }
    Vector4 as Vector4 { x, y, z, w }
    Quaternion as Quaternion { x, y, z, w }
    Color as Color { r, g, b, a }
    Rect as Rect { x, y, width, height }
}

#[cfg(feature = "glam")]
structs! {
    ::glam::Vec2 as Vector2 { x, y }
    ::glam::Vec3 as Vector3 { x, y, z }
    ::glam::Vec4 as Vector4 { x, y, z, w }
    ::glam::Quat as Quaternion { x, y, z, w }
}

#[cfg(feature = "mint")]
structs! {
    ::mint::Vector2<f32> as Vector2 { x, y }
    ::mint::Vector3<f32> as Vector3 { x, y, z }
    ::mint::Vector4<f32> as Vector4 { x, y, z, w }
    ::mint::Point2<f32> as Vector2 { x, y }
    ::mint::Point3<f32> as Vector3 { x, y, z }
}
