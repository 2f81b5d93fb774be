//! Unity's value types with bytes in Netcode for GameObjects and none in UNet: vectors of
//! integers, and a ray in the plane.

use crate::schema::TypeSchema;
use crate::wire::{NetworkReader, NetworkWriter, ReadError, SyncValue, Vector2};

/// Structs of integers alone: their fields in order, each in the form of an `i32`, in
/// `Mirror` in 4 bytes. The schema equals that of glam's type, so that the two ends may use different types.
macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident as $schema:literal { $($(#[$field_doc:meta])* $field:ident),+ })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name {
            $($(#[$field_doc])* pub $field: i32,)+
        }

        impl $name {
            /// Creates a value with these components.
            pub const fn new($($field: i32),+) -> Self {
                Self { $($field),+ }
            }
        }

        #[diagnostic::do_not_recommend]
        impl SyncValue for $name {
            const SCHEMA: TypeSchema = TypeSchema::Named($schema);

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                $(writer.write_fixed_or(self.$field.to_le_bytes(), |writer| self.$field.write(writer));)+
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                Ok(Self { $($field: reader.read_fixed_or(i32::from_le_bytes, i32::read)?),+ })
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

integers! {
    /// Two integers, a cell of a map for example.
    Vector2Int as "IVec2" { /** To the right. */ x, /** Up. */ y }

    /// Three integers.
    ///
    /// ```
    /// use syncvar::values::Vector3Int;
    ///
    /// let cell = Vector3Int { x: 4, y: 0, z: -7 };
    /// assert_eq!(cell.z, -7);
    /// ```
    Vector3Int as "IVec3" { /** To the right. */ x, /** Up. */ y, /** Forward. */ z }
}

/// A half-line in the plane: on the wire origin, then direction, the order in Unity's memory.
///
/// ```
/// use syncvar::values::{Ray2D, Vector2};
///
/// let shot = Ray2D { origin: Vector2::default(), direction: Vector2::new(1.0, 0.0) };
/// assert_eq!(shot.direction.x, 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray2D {
    /// Start of the line.
    pub origin: Vector2,
    /// Direction of the line; not normalised.
    pub direction: Vector2,
}

#[diagnostic::do_not_recommend]
impl SyncValue for Ray2D {
    const SCHEMA: TypeSchema = TypeSchema::Named("Ray2D");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        self.origin.write(writer);
        self.direction.write(writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let origin = reader.read()?;
        let direction = reader.read()?;
        Ok(Self { origin, direction })
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.origin.same(&other.origin) && self.direction.same(&other.direction)
    }
}
