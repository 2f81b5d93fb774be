//! Input of the expansion: valid by construction. All checks are made here.

mod behaviour;
mod collection;
mod delivery;
mod field_type;
mod motion;
mod rules;
mod sync_var;
mod thread;
mod type_tokens;
mod unsent;
mod value;

pub(crate) use behaviour::{Base, Behaviour};
pub(crate) use collection::{Collection, Key};
pub(crate) use field_type::{Container, elements_travel, travels};
pub(crate) use rules::{Policy, Readers};
pub(crate) use sync_var::SyncVar;
pub(crate) use value::{Body, Discriminant, MemberModel, ValueMembers, ValueModel, Variant};
