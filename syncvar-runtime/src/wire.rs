//! Bytes in and out: the writer, the reader, and what an operation becomes in a dialect.
//!
//! Writing cannot fail half-way: a value that the wire has no form for is remembered as a
//! [`WriteError`], writes nothing, and the whole message is given up. Reading cannot panic: every
//! read checks what is left before it takes anything.
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
mod packed;
mod reader;
mod unity;
mod value;
mod varint;
mod writer;

pub use decimal::Decimal;
pub use dialect::Dialect;
pub use error::{ReadError, ReadErrorKind, ReadResultExt, WriteError, WriteErrorKind};
pub use reader::NetworkReader;
pub use unity::{
    Color, Color32, Matrix4x4, NetworkHash128, NetworkSceneId, Plane, Quaternion, Ray, Rect,
    Vector2, Vector3, Vector4,
};
pub use value::SyncValue;
pub(crate) use varint::{unzigzag, zigzag};
pub use writer::{MessageStart, NetworkWriter};

/// The longest string, in bytes of UTF-8, that any dialect carries.
pub const MAX_STRING_BYTES: usize = 32_767;

/// The longest byte array, and the largest payload of one message, in any dialect.
pub const MAX_BYTES: usize = 65_535;
