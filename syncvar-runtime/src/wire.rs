//! Bytes in and out: the writer, the reader, and the bytes of every operation in an encoding.
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

pub(crate) mod budget;
mod context;
mod convert;
mod encoded;
mod encoding;
mod error;
mod form;
mod mask;
mod mirror;
mod packed;
mod reader;
mod scope;
mod selection;
mod values;
mod varint;
mod writer;

pub use context::{DeserializeContext, DeserializeReport, SerializeContext, SerializeReport};
pub(crate) use context::{MaskLayout, ReadMask};
pub use encoding::Encoding;
pub use error::{ReadError, ReadErrorKind, ReadResult, ReadResultExt, WriteError, WriteErrorKind};
pub use form::ValueForm;
pub use reader::NetworkReader;
pub(crate) use selection::Selection;
#[cfg(feature = "serde")]
pub use values::Postcard;
pub use values::{
    Absence, Color, Color32, Decimal, EnumNumber, FixedString, FixedString32, FixedString64,
    FixedString128, FixedString512, FixedString4096, FixedStringTooLong, LayerMask, Matrix4x4,
    OaDate, PlainForm, Plane, Quaternion, Ray, Ray2D, Rect, SyncValue, Vector2, Vector2Int,
    Vector3, Vector3Int, Vector4,
};
pub(crate) use varint::{unzigzag, unzigzag_128, zigzag, zigzag_128};
pub use writer::{MessageStart, NetworkWriter};

/// The longest string, in bytes of UTF-8, that `Unet` and `Compact` carry; `Mirror` carries 65 534. A
/// longer one stops its field: observers keep the last value until a string fits.
pub const MAX_STRING_BYTES: usize = 32_767;

/// The longest byte array with a size in front, except in `Mirror`, and the largest payload of a message in
/// `Unet`. The limit of a message in `Compact` is a setting of server and client.
pub const MAX_BYTES: usize = 65_535;
