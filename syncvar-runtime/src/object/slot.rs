//! One behaviour of an object, with its type erased, and what the update loop keeps about it.

mod typed;

pub(super) use typed::TypedSlot;

use std::any::Any;
use std::time::Duration;

use super::ruled::Ruled;
use super::sections::MirrorHooks;
use crate::behaviour::{AnyBehaviour, Panicked};
use crate::schema::{BehaviourSchema, CallTable, RuleBits, Sections};
use crate::{
    BufferSerializer, CallContext, LifecycleCallback, LifecycleResult, NetworkBehaviour,
    NetworkContext, NetworkReader, NetworkWriter, ReadError, SyncMethod, SynchronizeError,
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
    /// How its changes travel in Mirror's protocol.
    pub sync_method: SyncMethod,
    /// [`NetworkBehaviour::RESENDABLE`].
    pub resendable: bool,
    /// The bits of fields whose changes are operations, as long as they are not set dirty as a whole.
    pub operation_bits: u64,
    /// How its fields are divided in the `Mirror` encoding.
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

    /// Writes the payload of the `Mirror` encoding, without its safety byte: the whole state, or the
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

    /// Reads the payload of the `Mirror` encoding. What is returned is to be
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
    fn set_verbatim(&mut self, verbatim: bool, promised: usize);

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

    /// Everything dirty has been sent at this time, and stays dirty: it is to be sent again.
    fn mark_repeated(&mut self, now: Nanos);
}

/// The previous values of a behaviour's fields, their type erased.
pub type Remembered = Box<dyn Any + Send + Sync>;

/// What is asked of a behaviour about its fields with rules.
pub trait RuledBehaviour {
    /// Returns the dirty bits of the fields.
    fn dirty_bits(&self) -> u64;
    /// Makes fields dirty.
    fn set_dirty_bit(&mut self, dirty_bits: u64);
    /// Makes fields clean.
    fn clear_dirty_bits(&mut self, dirty_bits: u64);
    /// Writes the values of fields.
    fn write_fields(&self, writer: &mut NetworkWriter, fields: u64);
    /// Reads the values of fields.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_fields(&mut self, reader: &mut NetworkReader<'_>, fields: u64)
    -> Result<(), ReadError>;
    /// Whether a field differs from its last sent value by more than its threshold.
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
pub struct RuledSlot<'a> {
    /// The behaviour.
    pub behaviour: &'a mut dyn RuledBehaviour,
    /// The state of its restricted fields.
    pub kept: &'a mut Ruled,
}
