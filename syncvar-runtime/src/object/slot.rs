//! Slot: one behaviour of an object, type-erased, with its state in the update loop.

mod erased;
mod info;
mod typed;

pub use info::{ComponentLayout, HookContext, SlotInfo};
pub use typed::TypedSlot;

use std::any::Any;

use super::erased_fields::{ErasedFields, FieldOperation, apply};
use super::hooks::{ErasedHooks, Hooks, Remembered};
use super::nanos::Nanos;
use super::policy_state::PolicyState;
use super::slot_state::SlotState;
use crate::behaviour::{AnyBehaviour, Panicked, PresencePlace};
use crate::field::Lineage;
use crate::motion::Moment;
use crate::{
    BufferSerializer, CallContext, LifecycleCallback, LifecycleResult, NetworkBehaviour,
    NetworkContext, NetworkReader, NetworkWriter, ReadResult, SynchronizeError,
};

/// Parts of a slot for a write.
pub struct SlotParts<'a, B: ?Sized> {
    /// The behaviour, with the lineage of its fields.
    pub tracked: Tracked<'a, B>,
    /// State of the restricted fields; `None` without such fields.
    pub policy: Option<&'a mut PolicyState>,
}

/// A behaviour with the lineage of its fields, for a write.
pub struct Tracked<'a, B: ?Sized> {
    /// The behaviour.
    pub behaviour: &'a mut B,
    lineage: &'a mut Lineage,
    /// Place of the field `present` around an [`Optional`](crate::Optional) behaviour.
    presence: Option<PresencePlace<'a>>,
}

impl<'a> SlotParts<'a, dyn AnyBehaviour> {
    /// Creates the parts of a behaviour without a compiled type.
    pub(crate) fn new(
        behaviour: &'a mut dyn AnyBehaviour,
        lineage: &'a mut Lineage,
        policy: Option<&'a mut PolicyState>,
    ) -> Self {
        let tracked = Tracked {
            behaviour,
            lineage,
            presence: None,
        };
        Self { tracked, policy }
    }

    /// Returns the parts with the behaviour as a behaviour of a known type.
    #[inline]
    pub(crate) fn of_own<B: NetworkBehaviour>(self) -> Option<SlotParts<'a, B>> {
        let behaviour: &mut dyn Any = self.tracked.behaviour;
        Some(SlotParts {
            tracked: Tracked {
                behaviour: behaviour.downcast_mut()?,
                lineage: self.tracked.lineage,
                presence: None,
            },
            policy: self.policy,
        })
    }

    /// Returns the parts with the behaviour as a behaviour of a known type; looks through
    /// [`Optional`](crate::Optional).
    #[inline]
    pub fn of<B: NetworkBehaviour>(self) -> Option<SlotParts<'a, B>> {
        let (behaviour, presence) = self.tracked.behaviour.get_mut_with_presence()?;
        Some(SlotParts {
            tracked: Tracked {
                behaviour,
                lineage: self.tracked.lineage,
                presence,
            },
            policy: self.policy,
        })
    }
}

impl<B: NetworkBehaviour> Tracked<'_, B> {
    /// Makes fields clean, which observers have now.
    pub fn mark_sent(&mut self, fields: u64) {
        self.lineage.mark_sent(self.behaviour, fields);
    }

    /// Makes fields dirty that the write has created or moved here.
    #[inline]
    pub(crate) fn notice_replacements(&mut self) {
        if let Some(former) = self.lineage.notice_replacements(self.behaviour) {
            self.move_presence(former);
        }
    }

    /// Gives the field `present` the new lineage of the behaviour, if it had the former one.
    #[cold]
    fn move_presence(&mut self, former: Lineage) {
        if let Some(PresencePlace { place, bit }) = &mut self.presence
            && place.is_at(former.place(*bit))
        {
            place.set(self.lineage.place(*bit));
        }
    }
}

/// A type-erased behaviour with its state in the update loop.
pub trait Slot: Send + Sync {
    /// Returns the behaviour.
    fn behaviour(&self) -> &dyn AnyBehaviour;
    /// Returns the behaviour for writing.
    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour;
    /// Returns the parts for a write.
    fn parts_mut(&mut self) -> SlotParts<'_, dyn AnyBehaviour>;
    /// Returns the memory in bytes, without the contents of compiled fields.
    fn memory(&self) -> usize {
        size_of_val(self)
    }
    /// Loads the slot into the cache.
    fn load(&self) {}
    /// Returns the facts of the type.
    fn info(&self) -> &'static SlotInfo;
    /// Returns the fields with a change to send.
    fn dirty_bits(&self) -> u64;
    /// Drops pending changes and stops recording: the object lacks observers. A tick counts as that of
    /// a frame with them.
    fn forget_changes(&mut self, tick: Option<u32>);

    /// Makes deltas repair earlier losses, except in a field that is not
    /// [resendable](crate::SyncField::RESENDABLE).
    fn make_changes_whole(&mut self);

    /// Writes the snapshot or the delta; returns whether it has a change.
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool;

    /// Writes the snapshot or the delta in the layout of the encoding. `every_value` adds all values to
    /// the delta, and all bits to its masks: Mirror's `SetDirty`. Leaves the observation of the
    /// collections to `set_observed`. Returns whether a delta was written, so that
    /// the behaviour becomes clean.
    fn write_layout(
        &mut self,
        writer: &mut NetworkWriter,
        initial_state: bool,
        every_value: bool,
    ) -> bool;

    /// Reads the bytes of [`write_layout`](Self::write_layout); returns the hooks to run. The
    /// [report](NetworkReader::take_report) holds the fields of a delta. After an error the behaviour
    /// is half read, as with Mirror.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_layout(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<ErasedHooks>;

    /// Writes some fields once more as a delta, for a connection that has missed their changes. The
    /// behaviour must be resendable. Dirty fields stay so, and are returned.
    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter) -> u64;

    /// Reads a snapshot or a delta, and keeps the previous values for the hooks.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()>;

    /// Calls hooks with a detached context, for `run_hooks` and
    /// `run_hooks_as_write`.
    ///
    /// # Errors
    ///
    /// When a hook panics, which ends the run.
    fn call_hooks(&mut self, hooks: Hooks) -> Result<(), Panicked>;

    /// Calls hooks with their context.
    ///
    /// # Errors
    ///
    /// When a hook panics, which ends the run.
    fn call_hooks_with(
        &mut self,
        hooks: ErasedHooks,
        ctx: &mut NetworkContext<'_>,
    ) -> Result<(), Panicked>;

    /// Takes the previous values of the last read; `None` if they are used.
    fn take_hooks(&mut self) -> Option<ErasedHooks>;

    /// Discards the previous values for the hooks.
    fn skip_hooks(&mut self);

    /// Discards the previous values of some fields.
    fn skip_hooks_of(&mut self, fields: u64);

    /// Returns the values of some fields with a hook; `None` if the class lacks a hook.
    fn remember_for_hooks(&mut self, fields: u64) -> Option<Remembered>;

    /// Returns the bits of the fields that differ from the remembered values, and removes the remaining
    /// values.
    fn changed_since(&mut self, before: &mut Remembered) -> u64;

    /// Prepares a write of the server.
    fn begin_change(&mut self);

    /// Ends a write of the server. Restores and returns the changed fields that only the owner may
    /// write.
    fn end_change(&mut self) -> u64;

    /// Adds or removes an [`Optional`](crate::Optional) behaviour, so that it is present as that of a slot
    /// of the same type.
    fn align(&mut self, from: &dyn Slot);

    /// Returns the restricted fields with their state; `None` if no field
    /// [needs one](crate::schema::PolicyBits::has_state).
    fn policy_slot(&mut self) -> Option<PolicySlot<'_>>;

    /// Returns the fields of the behaviour.
    fn fields(&mut self) -> &mut dyn ErasedFields;

    /// Returns the state that only some behaviours need.
    fn state(&self) -> Option<&SlotState>;

    /// Returns the state that only some behaviours need, for changes.
    fn state_mut(&mut self) -> &mut Option<Box<SlotState>>;

    /// Returns those of the fields written by the owner whose values the
    /// [checks](crate::behaviour::CheckWrites) refuse in a tick. The previous values must be
    /// [saved](PolicyState::save).
    fn refused_writes(&mut self, fields: u64, tick: u32) -> u64;

    /// Records the values of those of some fields that are [interpolated](SlotInfo::interpolated), in a tick of the
    /// wire. With a view, a value that arrives after the view has passed the samples causes no leap.
    fn record(&mut self, fields: u64, tick: u32, view: Option<&Moment<'_>>);

    /// Calls the hooks at the view time of some fields, whose samples have a tick of the wire. Fields without such a
    /// sample are skipped.
    ///
    /// # Errors
    ///
    /// When a hook panics, which ends the run.
    fn show(
        &mut self,
        fields: u64,
        tick: u32,
        ctx: &mut NetworkContext<'_>,
    ) -> Result<(), Panicked>;

    /// Makes some fields clean that no connection receives. A tick counts as that of a frame with them.
    fn drop_fields(&mut self, fields: u64, tick: Option<u32>);

    /// Records a send of some fields: they are clean. Their tick becomes that of the frame.
    fn mark_fields_sent(&mut self, fields: u64, now: Nanos, tick: Option<u32>);

    /// Returns the fields that their policy holds back, and the time when the first field is due.
    fn held_back(&mut self, now: Nanos) -> (u64, Option<Nanos>);

    /// Runs a lifecycle callback.
    ///
    /// # Errors
    ///
    /// When the callback fails.
    fn on_lifecycle(
        &mut self,
        callback: LifecycleCallback,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult;

    /// Writes or reads the data beside the fields.
    ///
    /// # Errors
    ///
    /// When [`Synchronize`](crate::Synchronize) fails.
    fn synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError>;

    /// Reads the arguments of a remote call and runs it.
    ///
    /// # Errors
    ///
    /// When the arguments cannot be read.
    fn handle_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> ReadResult<()>;

    /// Returns the time of the last send.
    fn last_send(&self) -> Nanos;

    /// Sets the time of the last send.
    fn set_last_send(&mut self, now: Nanos);

    /// Records a send: the behaviour is clean. The tick of its dirty fields becomes that of the frame;
    /// `None` for a protocol without ticks, and for writes of a client.
    fn mark_sent(&mut self, now: Nanos, tick: Option<u32>);

    /// Like [`mark_sent`](Self::mark_sent); returns the fields that were dirty.
    fn take_sent(&mut self, now: Nanos, tick: Option<u32>) -> u64;
}

/// A behaviour with restricted fields, and their state.
pub struct PolicySlot<'a> {
    /// Fields of the behaviour.
    pub behaviour: &'a mut dyn ErasedFields,
    /// State of the fields.
    pub state: &'a mut PolicyState,
    lineage: Lineage,
}

impl<'a> PolicySlot<'a> {
    /// Creates the restricted fields of a behaviour without a compiled type.
    pub(crate) fn new(
        behaviour: &'a mut dyn ErasedFields,
        state: &'a mut PolicyState,
        lineage: Lineage,
    ) -> Self {
        Self {
            behaviour,
            state,
            lineage,
        }
    }
}

impl PolicySlot<'_> {
    /// Makes fields clean, which observers have now.
    pub fn mark_sent(&mut self, fields: u64) {
        apply(
            self.behaviour,
            fields,
            FieldOperation::MarkSent(self.lineage),
        );
    }
}
