//! Objects and values of programs without the compiled types.
//!
//! ```text
//! SchemaBehaviour --intern--> UntypedClass      layouts and facts, one for equal behaviours of the process
//!                                  |
//!                             UntypedBehaviour  a value for each field, the mask of dirty fields
//!                                  |
//!                             UntypedSlot       in rows of a pool, as compiled behaviours
//! ```

mod arguments;
mod behaviour;
mod class;
mod collection;
mod error;
mod fields;
mod inputs;
mod intern;
mod leak;
mod row;
mod schema;
mod slot;

pub use crate::translate::layout::{ValueError, ValueErrorKind};
pub use crate::value::{MapValue, MemberNames, SetValue, StructValue, Value, VariantValue};
pub(crate) use arguments::{read_arguments, write_arguments};
pub use behaviour::UntypedBehaviour;
pub(crate) use class::UntypedClass;
pub use class::{FieldError, FieldErrorKind};
pub use error::UntypedError;
pub use inputs::InputBytes;
pub(crate) use intern::{UntypedType, intern, intern_type};
pub(crate) use row::UntypedRow;
