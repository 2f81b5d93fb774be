//! Values of programs without the compiled types.

pub use crate::translate::layout::{ValueError, ValueErrorKind};
pub use crate::value::{MemberNames, StructValue, Value, VariantValue};
