//! Bytes in and out: the writer, the reader, and the bytes of each operation in a dialect.
//!
//! A write cannot fail half-way: a value without a form on the wire is recorded as a
//! [`WriteError`], writes no byte, and the whole message is discarded. A read cannot panic: it
//! checks the remaining length first.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects
)]

mod compound;
mod convert;
mod decimal;
mod dialect;
mod error;
mod fixed_string;
mod foreign;
mod keyed;
mod mirror;
mod mirror_value;
mod netcode;
mod number;
mod option;
mod packed;
#[cfg(feature = "serde")]
mod postcard;
mod reader;
mod section;
mod selection;
mod unity;
mod value;
mod varint;
mod writer;

pub use decimal::Decimal;
pub use dialect::{Dialect, EnumNumber};
pub use error::{ReadError, ReadErrorKind, ReadResultExt, WriteError, WriteErrorKind};
pub use fixed_string::{
    FixedString, FixedString32, FixedString64, FixedString128, FixedString512, FixedString4096,
    FixedStringTooLong,
};
pub use mirror_value::{LayerMask, OaDate};
pub use netcode::{Ray2D, Vector2Int, Vector3Int};
pub use option::Absence;
#[cfg(feature = "serde")]
pub use postcard::Postcard;
pub(crate) use reader::DEFAULT_MAX_ELEMENTS;
pub use reader::NetworkReader;
pub(crate) use section::{ReadSection, WriteSection};
pub use unity::{
    Color, Color32, Matrix4x4, NetworkHash128, NetworkSceneId, Plane, Quaternion, Ray, Rect,
    Vector2, Vector3, Vector4,
};
pub use value::SyncValue;
pub(crate) use varint::{unzigzag, unzigzag_128, zigzag, zigzag_128};
pub use writer::{MessageStart, NetworkWriter};

/// The longest string, in bytes of UTF-8, that `Unet` and `Compact` carry; `Mirror` carries 65 534.
pub const MAX_STRING_BYTES: usize = 32_767;

/// The longest byte array with a size in front, except in `Mirror`, and the largest payload of a message in
/// `Unet`. The limit of a message in `Compact` is a setting of server and client.
pub const MAX_BYTES: usize = 65_535;
