//! One behaviour of an object, with its type erased, and what the update loop keeps about it.

use std::any::Any;
use std::time::Duration;

use super::ruled::Ruled;
use super::sections::MirrorHooks;
use crate::context::{Panicked, contain};
use crate::schema::{BehaviourSchema, RuleBits, Sections};
use crate::{
    BufferSerializer, CallContext, CallTable, LifecycleCallback, LifecycleResult, NetworkBehaviour,
    NetworkContext, NetworkReader, NetworkWriter, ReadError, SynchronizeError,
};

/// A time or a span of time in nanoseconds: half as long as a `Duration`, and compared in one step.
/// Whatever is longer than 584 years counts as that.
pub type Nanos = u64;

/// A span of time in nanoseconds.
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

/// What is known about a behaviour's type.
#[derive(Clone, Copy, Debug)]
pub struct BehaviourInfo {
    /// Its schema.
    pub schema: BehaviourSchema,
    /// The channel of its changes.
    pub channel: u8,
    /// The shortest time between two of them.
    pub send_interval: Nanos,
    /// [`NetworkBehaviour::RESENDABLE`].
    pub resendable: bool,
    /// The bits of fields whose changes are operations, as long as they are not set dirty as a whole.
    pub operation_bits: u64,
    /// How its fields are divided in the `Mirror` dialect.
    pub sections: Sections,
    /// The fields whose hooks are told of the state that an object is met with.
    pub initial_hooks: u64,
    /// The fields that have rules.
    pub rules: RuleBits,
    /// Whether it is told of the life of its object.
    pub lifecycle: bool,
    /// Whether it has data beside its fields.
    pub synchronize: bool,
    /// Its remote calls.
    pub calls: CallTable,
}

/// A behaviour whose type is erased, and what the update loop keeps about it.
#[expect(private_interfaces, reason = "nobody else makes slots")]
pub trait Slot: Send + Sync {
    /// The behaviour.
    fn behaviour(&self) -> &dyn AnyBehaviour;
    /// The behaviour, for writing.
    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour;
    /// The behaviour, and what is kept of its fields that have rules.
    fn parts_mut(&mut self) -> (&mut dyn AnyBehaviour, Option<&mut Ruled>);
    /// What is known about its type.
    fn info(&self) -> &'static BehaviourInfo;
    /// The fields that have changed.
    fn dirty_bits(&self) -> u64;
    /// Nobody observes the object: what has changed need not be kept, nor what will.
    fn forget_changes(&mut self);

    /// Makes a behaviour write its changes in such a way that they are right for those who have missed
    /// some. A field that is not [resendable](crate::SyncField::RESENDABLE) cannot do that; those beside
    /// it can.
    fn make_changes_whole(&mut self);

    /// Writes the full state or the changes; whether there was something to write.
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool;

    /// Writes the payload of the `Mirror` dialect, without its safety byte: the whole state, or the
    /// changes; of these all values, and every bit of their mask, where everything is dirty (Mirror's
    /// `SetDirty`). Whether somebody observes the object is not told to the collections: see
    /// [`set_observed`](Self::set_observed). Returns whether changes have been written, so that what was
    /// dirty is to be made clean.
    fn write_mirror(
        &mut self,
        writer: &mut NetworkWriter,
        initial_state: bool,
        everything_dirty: bool,
    ) -> bool;

    /// Reads the payload of the `Mirror` dialect. What is returned is to be
    /// [called](Self::call_mirror_hooks) later. [`NetworkReader::take_seen_bits`] says then which fields a
    /// change had. After an error the behaviour is half read, as it is with Mirror.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_mirror(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<MirrorHooks, ReadError>;

    /// Calls the hooks for what [`read_mirror`](Self::read_mirror) has read, those of collections first. A
    /// panic of one of them ends with it.
    ///
    /// # Errors
    ///
    /// What the panic said.
    fn call_mirror_hooks(&mut self, hooks: MirrorHooks) -> Result<(), Panicked>;

    /// See [`NetworkBehaviour::set_observed`]; [`serialize`](Self::serialize) and
    /// [`forget_changes`](Self::forget_changes) call it by themselves.
    fn set_observed(&mut self, observed: bool);

    /// See [`NetworkBehaviour::set_verbatim`].
    fn set_verbatim(&mut self, verbatim: bool);

    /// Makes these fields dirty.
    fn set_dirty_bit(&mut self, dirty_bits: u64);

    /// Writes some fields as a change once more, for somebody who has missed changes of them; of a
    /// behaviour that is [resendable](NetworkBehaviour::RESENDABLE). What is dirty stays dirty.
    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter);

    /// Reads, and keeps what the hooks will need.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError>;

    /// Calls the hooks for what was read last. A panic of one of them ends with it.
    ///
    /// # Errors
    ///
    /// What the panic said.
    fn call_hooks(&mut self) -> Result<(), Panicked>;

    /// Forgets what was kept for the hooks.
    fn skip_hooks(&mut self);

    /// What these fields are, those of them that have a hook, if there are some.
    fn remember_for_hooks(&self, fields: u64) -> Option<Remembered>;

    /// Makes of what was remembered what the hooks are to be told; the bits of what has changed.
    fn changed_since(&self, before: &mut Remembered) -> u64;

    /// Calls the hooks for what has changed since something was remembered.
    fn call_hooks_with(&mut self, changed: Remembered);

    /// The server is about to lend the behaviour for writing.
    fn begin_change(&mut self);

    /// The server has got the behaviour back. Returns the fields that were not the server's to write:
    /// they are what they were.
    fn end_change(&mut self) -> u64;

    /// What is kept of fields that have rules, and the behaviour; none if no field has any.
    fn ruled(&mut self) -> Option<RuledSlot<'_>>;

    /// Whether anything is kept of fields that have rules.
    fn has_ruled(&self) -> Option<&Ruled>;

    /// Some fields were sent: they are clean.
    fn mark_fields_sent(&mut self, fields: u64, now: Nanos);

    /// The fields that are held back, and when the first of them is due.
    fn held_back(&self, now: Nanos) -> (u64, Option<Nanos>);

    /// Tells the behaviour of the life of its object.
    ///
    /// # Errors
    ///
    /// That of the callback.
    fn on_lifecycle(
        &mut self,
        callback: LifecycleCallback,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult;

    /// Writes or reads the data beside the fields.
    ///
    /// # Errors
    ///
    /// Those of [`Synchronize`](crate::Synchronize).
    fn synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError>;

    /// Reads the arguments of a remote call, and calls it.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn handle_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError>;

    /// When this behaviour was last sent.
    fn last_send(&self) -> Nanos;

    /// This behaviour was sent: it is clean.
    fn mark_sent(&mut self, now: Nanos);
}

/// The previous values of a behaviour's fields, their type erased.
pub type Remembered = Box<dyn Any + Send + Sync>;

/// A behaviour, for finding out its type.
pub trait AnyBehaviour: Any + Send + Sync {}

impl<B: NetworkBehaviour> AnyBehaviour for B {}

/// What is asked of a behaviour about its fields with rules.
pub(crate) trait RuledBehaviour {
    fn dirty_bits(&self) -> u64;
    fn set_dirty_bit(&mut self, dirty_bits: u64);
    fn clear_dirty_bits(&mut self, dirty_bits: u64);
    fn write_fields(&self, writer: &mut NetworkWriter, fields: u64);
    fn read_fields(&mut self, reader: &mut NetworkReader<'_>, fields: u64)
    -> Result<(), ReadError>;
    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>, field: u64) -> bool;
}

impl<B: NetworkBehaviour> RuledBehaviour for B {
    fn dirty_bits(&self) -> u64 {
        self.sync_var_dirty_bits()
    }

    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        NetworkBehaviour::set_dirty_bit(self, dirty_bits);
    }

    fn clear_dirty_bits(&mut self, dirty_bits: u64) {
        NetworkBehaviour::clear_dirty_bits(self, dirty_bits);
    }

    fn write_fields(&self, writer: &mut NetworkWriter, fields: u64) {
        NetworkBehaviour::write_fields(self, writer, fields);
    }

    fn read_fields(
        &mut self,
        reader: &mut NetworkReader<'_>,
        fields: u64,
    ) -> Result<(), ReadError> {
        NetworkBehaviour::read_fields(self, reader, fields)
    }

    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>, field: u64) -> bool {
        NetworkBehaviour::is_beyond_threshold(self, last_sent, field)
    }
}

/// A behaviour that has fields with rules, and what is kept of these.
pub(crate) struct RuledSlot<'a> {
    pub(crate) behaviour: &'a mut dyn RuledBehaviour,
    pub(crate) kept: &'a mut Ruled,
}

/// A behaviour of a known type.
pub(super) struct TypedSlot<B: NetworkBehaviour> {
    pub(super) behaviour: B,
    last_send: Nanos,
    previous: Option<B::Previous>,
    /// What is kept of fields that have rules, if there are any.
    pub(super) ruled: Option<Box<Ruled>>,
}

impl<B: NetworkBehaviour> TypedSlot<B> {
    const INFO: &'static BehaviourInfo = &BehaviourInfo {
        schema: B::SCHEMA,
        channel: B::CHANNEL,
        send_interval: nanos(B::SEND_INTERVAL),
        resendable: B::RESENDABLE,
        operation_bits: B::SCHEMA.operation_bits(),
        sections: B::SCHEMA.sections(),
        initial_hooks: B::INITIAL_HOOKS,
        rules: B::SCHEMA.rule_bits(),
        lifecycle: B::LIFECYCLE,
        synchronize: B::SYNCHRONIZE,
        calls: B::CALLS,
    };

    pub(super) fn new(behaviour: B) -> Self {
        Self {
            behaviour,
            last_send: 0,
            previous: None,
            ruled: Self::INFO.rules.any().then(Box::default),
        }
    }
}

impl<B: NetworkBehaviour> Slot for TypedSlot<B> {
    fn behaviour(&self) -> &dyn AnyBehaviour {
        &self.behaviour
    }

    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour {
        &mut self.behaviour
    }

    fn parts_mut(&mut self) -> (&mut dyn AnyBehaviour, Option<&mut Ruled>) {
        (&mut self.behaviour, self.ruled.as_deref_mut())
    }

    #[inline]
    fn info(&self) -> &'static BehaviourInfo {
        Self::INFO
    }

    #[inline]
    fn dirty_bits(&self) -> u64 {
        self.behaviour.sync_var_dirty_bits()
    }

    fn forget_changes(&mut self) {
        self.behaviour.clear_all_dirty_bits();
        self.behaviour.set_observed(false);
        if let Some(ruled) = &mut self.ruled {
            ruled.relayed = 0;
            ruled.note_values(&self.behaviour, &Self::INFO.rules, u64::MAX);
        }
    }

    fn make_changes_whole(&mut self) {
        let dirty_bits = self.behaviour.sync_var_dirty_bits();
        NetworkBehaviour::set_dirty_bit(&mut self.behaviour, dirty_bits);
    }

    #[inline]
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        writer.at_behaviour(Some(B::SCHEMA.name));
        if initial_state {
            self.behaviour.set_observed(true);
        }
        self.behaviour.on_serialize(writer, initial_state)
    }

    fn write_mirror(
        &mut self,
        writer: &mut NetworkWriter,
        initial_state: bool,
        everything_dirty: bool,
    ) -> bool {
        writer.at_behaviour(Some(B::SCHEMA.name));
        writer.set_everything_dirty(everything_dirty);
        let written = if const { B::SECTIONS } {
            writer.write_sections(&mut self.behaviour, initial_state)
        } else {
            if everything_dirty {
                let Sections {
                    values, changes, ..
                } = Self::INFO.sections;
                NetworkBehaviour::set_dirty_bit(&mut self.behaviour, values & changes);
            }
            self.behaviour.on_serialize(writer, initial_state)
        };
        writer.set_everything_dirty(false);
        written
    }

    fn read_mirror(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<MirrorHooks, ReadError> {
        if const { B::SECTIONS } {
            let hooks = reader.read_sections(&mut self.behaviour, initial_state)?;
            return Ok(hooks.erased());
        }
        let previous = self.behaviour.on_deserialize(reader, initial_state)?;
        Ok(MirrorHooks {
            collections: None,
            values: Some(Box::new(previous)),
        })
    }

    fn call_mirror_hooks(&mut self, hooks: MirrorHooks) -> Result<(), Panicked> {
        let hooks = hooks.of::<B>();
        contain(|| hooks.call(&mut self.behaviour))
    }

    fn set_observed(&mut self, observed: bool) {
        self.behaviour.set_observed(observed);
    }

    fn set_verbatim(&mut self, verbatim: bool) {
        self.behaviour.set_verbatim(verbatim);
    }

    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        NetworkBehaviour::set_dirty_bit(&mut self.behaviour, dirty_bits);
    }

    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter) {
        let dirty_bits = self.behaviour.sync_var_dirty_bits();
        self.behaviour.clear_all_dirty_bits();
        NetworkBehaviour::set_dirty_bit(&mut self.behaviour, missed);
        self.serialize(writer, false);
        self.behaviour.clear_all_dirty_bits();
        NetworkBehaviour::set_dirty_bit(&mut self.behaviour, dirty_bits);
    }

    #[inline]
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        self.previous = Some(self.behaviour.on_deserialize(reader, initial_state)?);
        Ok(())
    }

    #[inline]
    fn call_hooks(&mut self) -> Result<(), Panicked> {
        let Some(previous) = self.previous.take() else {
            return Ok(());
        };
        if const { size_of::<B::Previous>() == 0 } {
            // It has no hooks that could panic, or nothing that they are told.
            self.behaviour.call_hooks(previous);
            return Ok(());
        }
        contain(|| self.behaviour.call_hooks(previous))
    }

    #[inline]
    fn skip_hooks(&mut self) {
        self.previous = None;
    }

    fn remember_for_hooks(&self, fields: u64) -> Option<Remembered> {
        let remembered = self.behaviour.remember_for_hooks(fields)?;
        Some(Box::new(remembered))
    }

    fn changed_since(&self, before: &mut Remembered) -> u64 {
        let before = before.downcast_mut::<B::Previous>();
        before.map_or(0, |before| self.behaviour.changed_since(before))
    }

    fn call_hooks_with(&mut self, changed: Remembered) {
        if let Ok(changed) = changed.downcast::<B::Previous>() {
            self.behaviour.call_hooks(*changed);
        }
    }

    fn begin_change(&mut self) {
        self.previous = self.behaviour.before_change();
        if let Some(ruled) = &mut self.ruled {
            ruled.begin_change(&self.behaviour, &Self::INFO.rules);
        }
    }

    fn end_change(&mut self) -> u64 {
        self.behaviour.notice_replacements();
        if let Some(before) = self.previous.take() {
            self.behaviour.withdraw_changes(before);
        }
        let ruled = self.ruled.as_mut();
        ruled.map_or(0, |ruled| ruled.end_change(&mut self.behaviour))
    }

    fn ruled(&mut self) -> Option<RuledSlot<'_>> {
        let kept = self.ruled.as_deref_mut()?;
        let behaviour = &mut self.behaviour;
        Some(RuledSlot { behaviour, kept })
    }

    fn has_ruled(&self) -> Option<&Ruled> {
        self.ruled.as_deref()
    }

    fn mark_fields_sent(&mut self, fields: u64, now: Nanos) {
        NetworkBehaviour::clear_dirty_bits(&mut self.behaviour, fields);
        self.last_send = now;
        if let Some(ruled) = &mut self.ruled {
            ruled.note_sent(&self.behaviour, &Self::INFO.rules, fields, now);
        }
    }

    fn held_back(&self, now: Nanos) -> (u64, Option<Nanos>) {
        let ruled = self.ruled.as_ref();
        ruled.map_or((0, None), |ruled| {
            ruled.held_back(&self.behaviour, &B::SCHEMA, now)
        })
    }

    fn on_lifecycle(
        &mut self,
        callback: LifecycleCallback,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult {
        self.behaviour.on_lifecycle(callback, ctx)
    }

    fn synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        self.behaviour.synchronize(serializer)
    }

    fn handle_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        self.behaviour.handle_call(call, reader, context)
    }

    #[inline]
    fn last_send(&self) -> Nanos {
        self.last_send
    }

    #[inline]
    fn mark_sent(&mut self, now: Nanos) {
        self.behaviour.clear_all_dirty_bits();
        self.last_send = now;
    }
}
