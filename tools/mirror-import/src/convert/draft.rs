//! A behaviour while it is read.

use std::collections::BTreeMap;

use crate::csharp::Declaration;
use crate::model::{Behaviour, ValueType};
use crate::names;

/// A behaviour in progress.
pub(super) struct Draft<'p> {
    pub(super) class: &'p Declaration,
    /// Values of the parameters of a generic class.
    pub(super) parameters: BTreeMap<String, ValueType>,
    pub(super) behaviour: Behaviour,
    /// Names of its fields, and of its methods.
    pub(super) fields: names::Scope,
    pub(super) methods: names::Scope,
    /// Local fields whose types are not values.
    pub(super) left_out: Vec<String>,
}
