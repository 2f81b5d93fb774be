//! `Floats`: types made of floats alone.

use crate::schema::TypeSchema;
use crate::{
    Color, NetworkReader, NetworkWriter, Quaternion, ReadError, Rect, SyncValue, Vector2, Vector3,
    Vector4,
};

/// A type made of a fixed number of `f32` alone: [`Half`](crate::Half) and
/// [`Quantized`](crate::Quantized) encode each float.
///
/// Numbers, the engine-neutral vectors and colours, arrays, and with the features `glam` and `mint`
/// their vectors. Implement it for your structs:
///
/// ```
/// use syncvar::{codec::{Floats, Half, SyncCodec}, schema::{MemberSchema, TypeSchema}, wire::{NetworkWriter, ReadError}};
///
/// #[derive(Clone)]
/// struct Spring {
///     stiffness: f32,
///     damping: f32,
/// }
///
/// impl Floats for Spring {
///     const SCHEMA: TypeSchema = TypeSchema::Struct {
///         name: "Spring",
///         members: &[
///             MemberSchema::new("stiffness", <f32 as Floats>::SCHEMA),
///             MemberSchema::new("damping", <f32 as Floats>::SCHEMA),
///         ],
///     };
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
    /// Type in the schema, inside the type of the codec: usually a [`TypeSchema::Struct`] with the components as
    /// members, in order.
    const SCHEMA: TypeSchema;

    /// Returns the floats in the order of transmission; their number is constant.
    fn components(&self) -> impl Iterator<Item = f32>;

    /// Creates a value of the floats that `next` returns, in the same order.
    ///
    /// # Errors
    ///
    /// When `next` fails.
    fn from_components(next: impl FnMut() -> Result<f32, ReadError>) -> Result<Self, ReadError>;
}

/// Returns the nearest `f32`; infinite beyond the largest.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "rounds to nearest, as it should"
)]
pub(super) const fn narrow(value: f64) -> f32 {
    value as f32
}

/// Writes the floats without a codec.
#[cold]
pub(super) fn write_plain(value: &impl Floats, writer: &mut NetworkWriter) {
    for component in value.components() {
        writer.write_f32(component);
    }
}

/// Reads the floats without a codec.
///
/// # Errors
///
/// When the message ends too early.
#[cold]
pub(super) fn read_plain<T: Floats>(reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
    T::from_components(|| reader.read_f32())
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

/// Structs of `f32` alone; a foreign struct has the schema of its engine-neutral counterpart.
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

#[cfg(all(test, feature = "glam", feature = "mint"))]
mod tests {
    use std::fmt::Debug;

    use crate::{
        Half, NetworkReader, NetworkWriter, Quantized, Quaternion, SmallestThree, SyncCodec,
        Vector2, Vector3, Vector4,
    };

    /// Checks that both types have equal bytes and schema, and that a value survives the round trip.
    fn check<C, T, O>(theirs: T, ours: O)
    where
        C: SyncCodec<T> + SyncCodec<O>,
        T: Clone + Debug + PartialEq + Send + Sync + 'static,
        O: Clone + Send + Sync + 'static,
    {
        let (mut writer, mut other) = (NetworkWriter::new(), NetworkWriter::new());
        <C as SyncCodec<T>>::write(&theirs, &mut writer);
        <C as SyncCodec<O>>::write(&ours, &mut other);
        assert_eq!(writer.as_bytes(), other.as_bytes());
        let read: Result<T, _> = C::read(&mut NetworkReader::new(writer.as_bytes()));
        assert_eq!(read, Ok(theirs));
        let schemas = [<C as SyncCodec<T>>::SCHEMA, <C as SyncCodec<O>>::SCHEMA];
        let [schema, of_ours] = schemas.map(|schema| schema.to_string());
        assert_eq!(schema, of_ours);
    }

    #[test]
    fn vectors_of_other_crates_travel_as_ours() {
        type Steps = Quantized<-10, 10, 2>;
        let (v2, v3) = (Vector2::new(1.0, -2.0), Vector3::new(1.0, -2.0, 3.5));
        let v4 = Vector4::new(1.0, -2.0, 3.5, 0.0);
        let rotation = Quaternion::new(0.0, 0.0, 0.0, 1.0);
        check::<Steps, _, _>(::glam::Vec2::from(v2), v2);
        check::<Half, _, _>(::glam::Vec3::from(v3), v3);
        check::<Half, _, _>(::glam::Vec4::from(v4), v4);
        check::<Half, _, _>(::glam::Quat::from(rotation), rotation);
        check::<SmallestThree, _, _>(::glam::Quat::from(rotation), rotation);
        check::<Steps, _, _>(::mint::Vector2::from(v2), v2);
        check::<Steps, _, _>(::mint::Vector3::from(v3), v3);
        check::<Half, _, _>(::mint::Vector4::from(v4), v4);
        check::<Steps, _, _>(::mint::Point2::from(v2), v2);
        check::<Half, _, _>(::mint::Point3::from(v3), v3);
    }
}
