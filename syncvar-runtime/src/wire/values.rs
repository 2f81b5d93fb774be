//! `SyncValue`: types with a form on the wire.

mod absence;
mod compound;
mod decimal;
mod enumeration;
mod fixed_string;
mod foreign;
mod hash128;
mod ids;
mod keyed;
mod measured;
mod mirror_value;
mod netcode;
mod number;
mod option;
#[cfg(feature = "serde")]
mod postcard;
mod scalar;
mod unity;
mod value;

pub use absence::Absence;
pub use decimal::Decimal;
pub use enumeration::EnumNumber;
pub use fixed_string::{
    FixedString, FixedString32, FixedString64, FixedString128, FixedString512, FixedString4096,
    FixedStringTooLong,
};
pub use mirror_value::{LayerMask, OaDate};
pub use netcode::{Ray2D, Vector2Int, Vector3Int};
#[cfg(feature = "serde")]
pub use postcard::Postcard;
pub use unity::{
    Color, Color32, Matrix4x4, Plane, Quaternion, Ray, Rect, Vector2, Vector3, Vector4,
};
pub use value::{PlainForm, SyncValue};
