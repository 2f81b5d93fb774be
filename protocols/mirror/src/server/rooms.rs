//! `Rooms`: the parts of the server below replication and calls.

use super::context::Context;
use super::objects::Objects;
use super::observers::Observers;
use super::sessions::Sessions;

/// Parts that replication and calls are lent: each part knows the parts before it.
pub(crate) struct Rooms<'a> {
    pub(crate) objects: &'a mut Objects,
    pub(crate) sessions: &'a mut Sessions,
    pub(crate) observers: &'a mut Observers,
    pub(crate) context: &'a mut Context,
}
