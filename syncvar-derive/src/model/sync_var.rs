//! A synchronised field of a behaviour.

use syn::{Ident, Member, Type, Visibility};

use super::Policy;
use super::field_type::FieldType;
use super::motion::Interpolation;
use crate::attr::FormerNames;

/// A synchronised field.
pub(crate) struct SyncVar<'a> {
    pub(crate) member: Member,
    /// Former names, newest first.
    pub(crate) was: FormerNames,
    /// Constant of the field: `HEALTH`.
    pub(crate) constant: Ident,
    pub(crate) visibility: &'a Visibility,
    pub(crate) ty: FieldType<'a>,
    pub(crate) hook: Option<Ident>,
    /// Hook with all changes of a collection at once.
    pub(crate) batch_hook: Option<Ident>,
    /// Set if the hook also runs for the snapshot that spawns the object.
    pub(crate) initial_hook: bool,
    /// Set if previous values are kept for more than the hook.
    pub(crate) previous: bool,
    /// Codec of a `SyncVar`, in place of the value's own encoding.
    pub(crate) codec: Option<Type>,
    /// Readers, writers and times.
    pub(crate) policy: Policy,
    /// Values between the samples.
    pub(crate) interpolation: Option<Interpolation<'a>>,
}

impl SyncVar<'_> {
    /// Returns whether the field has a hook or a batch hook.
    pub(crate) fn has_hook(&self) -> bool {
        self.hook.is_some() || self.batch_hook.is_some()
    }

    /// Returns whether each change yields the previous value.
    pub(crate) fn keeps_previous(&self) -> bool {
        self.has_hook() || self.previous
    }

    /// Returns whether it has a member among the previous values, for each change or for its codec.
    pub(crate) fn is_remembered(&self) -> bool {
        self.keeps_previous() || self.codec.is_some()
    }
}
