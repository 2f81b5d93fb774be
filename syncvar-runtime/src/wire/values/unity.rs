//! Unity's value types without an engine: the types with a form in UNet's writer and weaver.
//!
//! They hold numbers without mathematics: convert them to your engine's types, or turn on the features
//! `glam` and `mint`.

use crate::schema::TypeSchema;
use crate::wire::{Encoding, NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Structs of floats alone: their fields in order, four bytes each, without normalisation or
/// clamping.
macro_rules! floats {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name {
            $($(#[$field_doc])* pub $field: f32,)+
        }

        impl $name {
            /// Creates a value with these components.
            #[allow(clippy::too_many_arguments, reason = "as many as there are components")]
            pub const fn new($($field: f32),+) -> Self {
                Self { $($field),+ }
            }
        }

        #[diagnostic::do_not_recommend]
        impl SyncValue for $name {
            const SCHEMA: TypeSchema = TypeSchema::Named(stringify!($name));

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                let bytes = [$(self.$field.to_le_bytes()),+];
                writer.write_bytes(bytes.as_flattened());
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                Ok(Self { $($field: reader.read_f32()?),+ })
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                $(self.$field.same(&other.$field))&&+
            }
        }
    )*};
}

floats! {
    /// Two floats.
    ///
    /// ```
    /// use syncvar::values::Vector2;
    ///
    /// assert_eq!(Vector2::new(1.0, 2.0).y, 2.0);
    /// ```
    Vector2 { /** To the right. */ x, /** Up. */ y }

    /// Three floats.
    ///
    /// ```
    /// use syncvar::prelude::*;
    /// use syncvar::values::Vector3;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Body {
    ///     #[sync_var]
    ///     position: SyncVar<Vector3>,
    /// }
    ///
    /// let mut body = Body::default();
    /// body.position.set(Vector3::new(1.0, 2.0, 3.0));
    /// assert_eq!(body.position.y, 2.0);
    /// ```
    Vector3 { /** To the right. */ x, /** Up. */ y, /** Forward. */ z }

    /// Four floats.
    Vector4 { /** First. */ x, /** Second. */ y, /** Third. */ z, /** Fourth. */ w }

    /// A linear colour; components are usually between 0 and 1 but are not clamped.
    ///
    /// ```
    /// use syncvar::values::Color;
    ///
    /// let red = Color { r: 1.0, g: 0.0, b: 0.0, a: 1.0 };
    /// assert_eq!(red, Color::new(1.0, 0.0, 0.0, 1.0));
    /// ```
    Color { /** Red. */ r, /** Green. */ g, /** Blue. */ b, /** Opacity. */ a }

    /// An axis-aligned rectangle.
    ///
    /// ```
    /// use syncvar::values::Rect;
    ///
    /// let arena = Rect::new(-50.0, -50.0, 100.0, 100.0);
    /// assert_eq!(arena.x + arena.width, 50.0);
    /// ```
    Rect { /** Left edge. */ x, /** Lower edge. */ y, /** To the right. */ width, /** Up. */ height }

    /// A rotation with components in Unity's order. Not normalised when it is sent.
    ///
    /// ```
    /// use syncvar::values::Quaternion;
    ///
    /// assert_eq!(Quaternion::IDENTITY.w, 1.0);
    /// ```
    Quaternion {
        /** First imaginary part. */ x, /** Second. */ y, /** Third. */ z, /** Real part. */ w
    }
}

impl Quaternion {
    /// No rotation.
    pub const IDENTITY: Self = Self::new(0.0, 0.0, 0.0, 1.0);
}

/// A plane in space: its normal, then its distance from the origin. UNet's reader normalises the
/// normal; this one returns the sent values.
///
/// ```
/// use syncvar::values::{Plane, Vector3};
///
/// let floor = Plane { normal: Vector3::new(0.0, 1.0, 0.0), distance: 0.0 };
/// assert_eq!(floor.normal.y, 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// Normal of the plane.
    pub normal: Vector3,
    /// Distance from the origin along the normal.
    pub distance: f32,
}

#[diagnostic::do_not_recommend]
impl SyncValue for Plane {
    const SCHEMA: TypeSchema = TypeSchema::Named("Plane");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        self.normal.write(writer);
        writer.write_f32(self.distance);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            normal: reader.read()?,
            distance: reader.read_f32()?,
        })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.normal.same(&other.normal) && self.distance.same(&other.distance)
    }
}

/// A half-line: on the wire direction first, then origin, as UNet writes it. UNet reads the two
/// in the opposite order and normalises; this one returns the sent values. In `Mirror` origin first, then
/// direction.
///
/// ```
/// use syncvar::values::{Ray, Vector3};
///
/// let shot = Ray { origin: Vector3::default(), direction: Vector3::new(0.0, 0.0, 1.0) };
/// assert_eq!(shot.direction.z, 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Start of the line.
    pub origin: Vector3,
    /// Direction of the line.
    pub direction: Vector3,
}

#[diagnostic::do_not_recommend]
impl SyncValue for Ray {
    const SCHEMA: TypeSchema = TypeSchema::Named("Ray");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        let (first, second) = match writer.encoding() {
            Encoding::Mirror => (self.origin, self.direction),
            Encoding::Unet | Encoding::Compact => (self.direction, self.origin),
        };
        first.write(writer);
        second.write(writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let (first, second) = (reader.read()?, reader.read()?);
        let (origin, direction) = match reader.encoding() {
            Encoding::Mirror => (first, second),
            Encoding::Unet | Encoding::Compact => (second, first),
        };
        Ok(Self { origin, direction })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.direction.same(&other.direction) && self.origin.same(&other.origin)
    }
}

/// A 4 x 4 matrix, on the wire row by row: `m00 m01 m02 m03 m10` and so on; in `Mirror` column by column.
///
/// ```
/// use syncvar::values::Matrix4x4;
///
/// let mut matrix = Matrix4x4::default();
/// matrix.rows[0][3] = 5.0;
/// assert_eq!(matrix.rows[0], [matrix.rows[0][0], 0.0, 0.0, 5.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Matrix4x4 {
    /// Four rows of four columns.
    pub rows: [[f32; 4]; 4],
}

impl Matrix4x4 {
    /// Returns the transposed matrix, the form in `Mirror`.
    fn transposed(self) -> Self {
        let mut rows = self.rows.map(IntoIterator::into_iter);
        let mut column = || rows.each_mut().map(|row| row.next().unwrap_or_default());
        Self {
            rows: [(); 4].map(|()| column()),
        }
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for Matrix4x4 {
    const SCHEMA: TypeSchema = TypeSchema::Named("Matrix4x4");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        let matrix = match writer.encoding() {
            Encoding::Mirror => self.transposed(),
            Encoding::Unet | Encoding::Compact => *self,
        };
        for value in matrix.rows.as_flattened() {
            writer.write_f32(*value);
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let mut matrix = Self::default();
        for value in matrix.rows.as_flattened_mut() {
            *value = reader.read_f32()?;
        }
        Ok(match reader.encoding() {
            Encoding::Mirror => matrix.transposed(),
            Encoding::Unet | Encoding::Compact => matrix,
        })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        let pairs = self
            .rows
            .as_flattened()
            .iter()
            .zip(other.rows.as_flattened());
        pairs.into_iter().all(|(a, b)| a.same(b))
    }
}

/// A colour of four bytes: red, green, blue, opacity.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::values::Color32;
///
/// let tint = SyncVar::new(Color32 { r: 255, g: 128, b: 0, a: 255 });
/// assert_eq!(tint.g, 128);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Color32 {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// Opacity.
    pub a: u8,
}

impl Color32 {
    /// Creates a colour with these components.
    pub const fn new(r: u8, g: u8, b: u8, a: u8) -> Self {
        Self { r, g, b, a }
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for Color32 {
    const SCHEMA: TypeSchema = TypeSchema::Named("Color32");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_array([self.r, self.g, self.b, self.a]);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let [r, g, b, a] = reader.read_array()?;
        Ok(Self { r, g, b, a })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
