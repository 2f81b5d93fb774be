//! `Protocol`: the questions about objects that protocols answer differently.

use super::{Departure, World, WorldObject};
use crate::behaviour::{NetworkSide, Panicked};
use crate::call::Called;
use crate::object::{DeferredHooks, Slots};
use crate::{CallbackFailure, ChangedFields, NetId};

/// A server or client on a [`World`]. [`CheckOut`](super::CheckOut) has the rules of callbacks, which are the same
/// for each protocol.
pub trait Protocol: NetworkSide + Sized {
    /// The entry for an object.
    type Object: WorldObject;

    /// Returns the world.
    fn world(&self) -> &World<Self::Object>;

    /// Returns the world for writing.
    fn world_mut(&mut self) -> &mut World<Self::Object>;

    /// Prepares an object in its pool for a check-out.
    #[inline]
    fn prepare_check_out(&mut self, id: NetId) {
        let _ = id;
    }

    /// Begins the writes of a callback. The behaviours have just left their pool.
    fn begin_writes(&mut self, id: NetId, slots: &mut dyn Slots);

    /// Ends the writes of a callback. The behaviours are about to return to their pool.
    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots);

    /// Continues after a check-in: sends or removes the object. The behaviours are in their pool.
    fn checked_in(&mut self, id: NetId, departure: Option<Departure>);

    /// Reports the result of a callback to the application.
    fn report(&mut self, report: CallbackReport<'_>);
}

/// Result of a callback, for the application.
#[derive(Debug)]
pub enum CallbackReport<'a> {
    /// A callback returned an error or panicked.
    Failed(CallbackFailure),
    /// A call that the application runs: with [`Callbacks::Events`](super::Callbacks::Events).
    Called(Called),
    /// The hooks of a behaviour have run.
    HooksCalled {
        /// The hooks. Their fields are reported as changed if they are `reported`.
        hooks: &'a DeferredHooks,
        /// Fields of the hooks.
        fields: ChangedFields,
        /// Panic of a hook.
        result: Result<(), Panicked>,
    },
}
