//! Slot: one behaviour of an object, type-erased, with its state in the update loop.

mod typed;

pub use typed::TypedSlot;

use std::any::Any;
use std::time::Duration;

use super::field_ticks::FieldTicks;
use super::hooks::{ErasedHooks, Hooks};
use super::policy_state::PolicyState;
use super::tracks::Tracks;
use crate::behaviour::{AnyBehaviour, Frame, Panicked, Presence};
use crate::motion::Moment;
use crate::schema::{BehaviourClass, BehaviourSchema, CallTable, PackedBits, PolicyBits};
use crate::{
    BehaviourFields, BufferSerializer, CallContext, Delivery, LifecycleCallback, LifecycleResult,
    Lineage, NetworkBehaviour, NetworkContext, NetworkReader, NetworkWriter, OperationLog,
    ReadResult, SynchronizeError, WriteError,
};

/// Time or duration in nanoseconds, limited to 584 years: half the size of a `Duration`.
pub type Nanos = u64;

/// Returns a duration in nanoseconds.
pub const fn nanos(duration: Duration) -> Nanos {
    let nanos = duration.as_nanos();
    if nanos > u64::MAX as u128 {
        u64::MAX
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "it was compared")]
        let nanos = nanos as u64;
        nanos
    }
}

/// Context of the hooks of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookContext {
    /// No hook takes a context: they run while the object is in its pool.
    Detached,
    /// A hook takes a context: the object is checked out.
    Object,
}

/// Layout of a behaviour in the encoding `Mirror`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentLayout {
    /// Collections, and then the other fields.
    Fields,
    /// The bytes of the class: [`own_layout`](crate::BehaviourInfo::own_layout()).
    Own,
}

/// Facts of a behaviour's type.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct SlotInfo {
    /// Type and schema of the behaviour.
    pub class: &'static BehaviourClass,
    /// Schema of the behaviour.
    pub schema: BehaviourSchema,
    /// Channel of its changes.
    pub channel: u8,
    /// Number of frames that repeat a change on an unreliable channel, 0 or 1.
    pub redundancy: u8,
    /// Shortest time between two updates; `None`: that of the end.
    pub send_interval: Option<Nanos>,
    /// Delivery of its changes.
    pub delivery: Delivery,
    /// [`BehaviourSchema::resendable`].
    pub resendable: bool,
    /// Fields whose deltas are operations, unless the field is set dirty as a whole.
    pub operation_bits: u64,
    /// Collections and values, for protocols that divide them.
    pub packed: PackedBits,
    /// Fields whose hooks also run for the first state of an object.
    pub initial_hooks: u64,
    /// Fields with values between their samples.
    pub interpolated: u64,
    /// Fields whose former values a server keeps.
    pub history: u64,
    /// Fields with a hook at the view time.
    pub on_view: u64,
    /// Restricted fields.
    pub policy: PolicyBits,
    /// Context of the hooks of the class and its bases.
    pub hook_context: HookContext,
    /// Set if the class or a base has a lifecycle.
    pub lifecycle: bool,
    /// Set if the class or a base has data beside its fields.
    pub synchronize: bool,
    /// Set if the class works in each frame.
    pub frame: bool,
    /// Remote calls.
    pub calls: CallTable,
    /// Presence of the behaviour on its object.
    pub presence: Presence,
    /// Layout in the encoding `Mirror`.
    pub layout: ComponentLayout,
}

impl dyn Slot + '_ {
    /// Returns the length of a delta with these fields alone, which is dropped. The memory of the writer is
    /// reused.
    ///
    /// # Errors
    ///
    /// When a value has no form on the wire.
    pub fn measure(
        &mut self,
        fields: u64,
        writer: &mut NetworkWriter,
    ) -> Result<usize, WriteError> {
        writer.truncate(0);
        let context = writer.context().with_fields(fields);
        writer.with_context(context, |writer| self.write_layout(writer, false, false));
        writer.take_report();
        let length = writer.len();
        writer.take_error().map_or(Ok(length), Err)
    }
}

/// Parts of a slot for a write.
pub struct SlotParts<'a, B: ?Sized> {
    /// The behaviour.
    pub behaviour: &'a mut B,
    /// State of the restricted fields; `None` without such fields.
    pub policy: Option<&'a mut PolicyState>,
    /// Lineage of the behaviour. The write replaces it: see
    /// [`notice_replacements`](BehaviourFields::notice_replacements).
    pub lineage: &'a mut Lineage,
}

impl<'a> SlotParts<'a, dyn AnyBehaviour> {
    /// Returns the parts with the behaviour as one of a known type.
    #[inline]
    pub fn of<B: NetworkBehaviour>(self) -> Option<SlotParts<'a, B>> {
        let behaviour: &mut dyn Any = self.behaviour;
        Some(SlotParts {
            behaviour: behaviour.downcast_mut()?,
            policy: self.policy,
            lineage: self.lineage,
        })
    }
}

impl SlotInfo {
    /// Returns the shortest time between two updates, on an end with this default.
    #[inline]
    pub fn interval(&self, default: Nanos) -> Nanos {
        self.send_interval.unwrap_or(default)
    }

    /// Returns whether these dirty fields make an optional behaviour come or go. All its fields are then due.
    #[inline]
    pub fn changes_presence(&self, dirty_bits: u64) -> bool {
        self.presence == Presence::Optional && dirty_bits & self.schema.own_bits() != 0
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
    /// Returns the fields of the behaviour.
    fn fields_mut(&mut self) -> &mut dyn RestrictedFields;
    /// Returns the facts of the type.
    fn info(&self) -> &'static SlotInfo;
    /// Returns the fields with a change to send.
    fn dirty_bits(&self) -> u64;
    /// Drops pending changes and stops recording: the object has no observers. A tick counts as that of
    /// a frame with them.
    fn forget_changes(&mut self, tick: Option<u32>);

    /// Makes deltas repair earlier losses, except in a field that is not
    /// [resendable](crate::SyncField::RESENDABLE).
    fn make_changes_whole(&mut self);

    /// Writes the snapshot or the delta; returns whether it has a change.
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool;

    /// Writes the snapshot or the delta in the layout of the encoding. `every_value` adds all values to
    /// the delta, and all bits to its masks: Mirror's `SetDirty`. Leaves the observation of the
    /// collections to [`set_observed`](Self::set_observed). Returns whether a delta was written, so that
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

    /// Returns the fields that a delta of [`write_layout`](Self::write_layout) in Mirror's encoding can
    /// change: all values, and the collections of its mask.
    fn fields_of_layout(&self, delta: &[u8]) -> u64;

    /// Sets whether the object has observers; [`serialize`](Self::serialize) and
    /// [`forget_changes`](Self::forget_changes) do so too.
    fn set_observed(&mut self, observed: bool);

    /// Sets the operation log of the collections.
    fn set_log(&mut self, log: OperationLog);

    /// Makes these fields dirty.
    fn set_dirty_bit(&mut self, dirty_bits: u64);

    /// Writes some fields once more as a delta, for a connection that has missed changes of them. The
    /// behaviour must be [resendable](BehaviourSchema::resendable). Dirty fields stay so; returns those of them.
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

    /// Calls hooks with a detached context, for [`run_hooks`](super::hooks::run_hooks) and
    /// [`run_hooks_as_write`](super::hooks::run_hooks_as_write).
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

    /// Returns the values of some fields with a hook; `None` if the class has no hook.
    fn remember_for_hooks(&mut self, fields: u64) -> Option<Remembered>;

    /// Returns the bits of the fields that differ from the remembered values, and removes all other
    /// values.
    fn changed_since(&mut self, before: &mut Remembered) -> u64;

    /// Prepares a write of the server.
    fn begin_change(&mut self);

    /// Ends a write of the server. Restores and returns the changed fields that only the owner may
    /// write.
    fn end_change(&mut self) -> u64;

    /// Replaces values with a codec by those that travel: see [`BehaviourFields::round`](crate::BehaviourFields::round).
    fn round(&mut self, writer: &mut NetworkWriter);

    /// Adds or removes an [`Optional`](crate::Optional) behaviour, so that it is present as that of a slot
    /// of the same type.
    fn align(&mut self, from: &dyn Slot);

    /// Returns the restricted fields with their state; `None` if no field
    /// [needs one](crate::schema::PolicyBits::has_state).
    fn policy_slot(&mut self) -> Option<PolicySlot<'_>>;

    /// Returns the fields of the behaviour.
    fn fields(&mut self) -> &mut dyn RestrictedFields;

    /// Returns those of the fields written by the owner whose values the
    /// [checks](crate::behaviour::CheckWrites) refuse in a tick. The former values must be
    /// [saved](PolicyState::save).
    fn refused_writes(&mut self, fields: u64, tick: u32) -> u64;

    /// Returns the state of the restricted fields.
    fn policy_state(&self) -> Option<&PolicyState>;

    /// Returns the ticks of the fields; `None` on a reliable channel.
    fn ticks(&self) -> Option<&FieldTicks>;

    /// Returns the ticks of the fields, for changes.
    fn ticks_mut(&mut self) -> Option<&mut FieldTicks>;

    /// Loads the state that stands apart from the slot, ticks among it, into the cache.
    fn prefetch(&self);

    /// Gives each field this tick, that of the spawn. From now on the slot has [`ticks`](Self::ticks).
    fn track_ticks(&mut self, tick: u32);

    /// Records the values of those of some fields that are [interpolated](SlotInfo::interpolated), in a tick of the
    /// wire. With a view, a value that arrives after the view has passed the samples causes no leap.
    fn record(&mut self, fields: u64, tick: u32, view: Option<&Moment<'_>>);

    /// Begins the histories of a server with the present values, in a tick of the wire. From now on each sent or dropped
    /// change of a field with a [history](SlotInfo::history) is a sample.
    fn begin_history(&mut self, tick: u32, tick_rate: u32);

    /// Takes the history of a server's object that is about to be removed; `None` without one.
    fn take_history(&mut self) -> Option<Box<Tracks>>;

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

    /// Drops the samples of all fields.
    fn clear_tracks(&mut self);

    /// Returns the samples of the interpolated fields; `None` before the first one.
    fn tracks(&self) -> Option<&Tracks>;

    /// Makes some fields clean that no connection receives. A tick counts as that of a frame with them.
    fn drop_fields(&mut self, fields: u64, tick: Option<u32>);

    /// Records a send of some fields: they are clean. Their tick becomes that of the frame.
    fn mark_fields_sent(&mut self, fields: u64, now: Nanos, tick: Option<u32>);

    /// Returns the fields that their policy holds back, and the time when the first of them is due.
    fn held_back(&mut self, now: Nanos) -> (u64, Option<Nanos>);

    /// Lets the next frame send some fields whatever their threshold.
    fn release(&mut self, fields: u64);

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

    /// Runs the work of the class in a frame.
    fn on_frame(&mut self, frame: &mut Frame<'_>);

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

    /// Records a send: the behaviour is clean. The tick of its dirty fields becomes that of the frame;
    /// `None` for a protocol without ticks, and for writes of a client.
    fn mark_sent(&mut self, now: Nanos, tick: Option<u32>);

    /// Like [`mark_sent`](Self::mark_sent); returns the fields that were dirty.
    fn take_sent(&mut self, now: Nanos, tick: Option<u32>) -> u64;

    /// Records a send that repeats: the fields stay dirty.
    fn mark_repeated(&mut self, now: Nanos);
}

/// Previous values of a behaviour's fields, type-erased.
pub type Remembered = Box<dyn Any + Send + Sync>;

/// Operations on the restricted fields of a behaviour.
pub trait RestrictedFields {
    /// Returns the fields with a change to send.
    fn dirty_bits(&self) -> u64;
    /// Makes fields dirty.
    fn set_dirty_bit(&mut self, dirty_bits: u64);
    /// Makes fields dirty after the read of an owner's deltas.
    fn relay(&mut self, fields: u64);
    /// Makes fields clean, which observers have already.
    fn clear_dirty_bits(&mut self, fields: u64);
    /// Makes fields clean.
    fn clear_dirty_at(&mut self, fields: u64, lineage: Lineage);
    /// Writes fields as in a snapshot.
    fn write_fields(&mut self, writer: &mut NetworkWriter, fields: u64);
    /// Reads fields as in a snapshot.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_fields(&mut self, reader: &mut NetworkReader<'_>, fields: u64) -> ReadResult<()>;
    /// Returns whether a field exceeds its threshold.
    fn is_beyond_threshold(&mut self, last_sent: &mut NetworkReader<'_>, field: u64) -> bool;
}

impl<B: NetworkBehaviour> RestrictedFields for B {
    fn dirty_bits(&self) -> u64 {
        self.sync_var_dirty_bits()
    }

    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        BehaviourFields::set_dirty_bit(self, dirty_bits);
    }

    fn relay(&mut self, fields: u64) {
        BehaviourFields::relay(self, fields);
    }

    fn clear_dirty_bits(&mut self, fields: u64) {
        BehaviourFields::clear_dirty_bits(self, fields);
    }

    fn clear_dirty_at(&mut self, fields: u64, lineage: Lineage) {
        BehaviourFields::clear_dirty_at(self, fields, lineage);
    }

    fn write_fields(&mut self, writer: &mut NetworkWriter, fields: u64) {
        BehaviourFields::write_fields(self, writer, fields);
    }

    fn read_fields(&mut self, reader: &mut NetworkReader<'_>, fields: u64) -> ReadResult<()> {
        BehaviourFields::read_fields(self, reader, fields)
    }

    fn is_beyond_threshold(&mut self, last_sent: &mut NetworkReader<'_>, field: u64) -> bool {
        BehaviourFields::is_beyond_threshold(self, last_sent, field)
    }
}

/// A behaviour with restricted fields, and their state.
pub struct PolicySlot<'a> {
    /// Behaviour with the fields.
    pub behaviour: &'a mut dyn RestrictedFields,
    /// State of the fields.
    pub state: &'a mut PolicyState,
    /// Lineage of the behaviour.
    pub lineage: Lineage,
}
