//! One behaviour of an object, with its type erased, and what the update loop keeps about it.

use std::any::Any;
use std::time::Duration;

use crate::schema::BehaviourSchema;
use crate::{CallContext, CallTable, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// A time or a span of time in nanoseconds: half as long as a `Duration`, and compared in one step.
/// Whatever is longer than 584 years counts as that.
pub(crate) type Nanos = u64;

/// A span of time in nanoseconds.
pub(crate) const fn nanos(duration: Duration) -> Nanos {
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
pub(crate) struct BehaviourInfo {
    pub(crate) schema: BehaviourSchema,
    pub(crate) channel: u8,
    pub(crate) send_interval: Nanos,
    pub(crate) resendable: bool,
    /// The bits of fields whose changes are operations, as long as they are not set dirty as a whole.
    pub(crate) operation_bits: u64,
    pub(crate) calls: CallTable,
}

/// A behaviour whose type is erased, and what the update loop keeps about it.
pub(crate) trait Slot: Send + Sync {
    fn behaviour(&self) -> &dyn AnyBehaviour;
    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour;
    fn info(&self) -> &'static BehaviourInfo;
    fn dirty_bits(&self) -> u64;
    /// Nobody observes the object: what has changed need not be kept, nor what will.
    fn forget_changes(&mut self);

    /// Makes a behaviour write its changes in such a way that they are right for those who have missed
    /// some. A field that is not [resendable](crate::SyncField::RESENDABLE) cannot do that; those beside
    /// it can.
    fn make_changes_whole(&mut self);

    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool;

    /// Writes some fields as a change once more, for somebody who has missed changes of them; of a
    /// behaviour that is [resendable](NetworkBehaviour::RESENDABLE). What is dirty stays dirty.
    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter);

    /// Reads, and keeps what the hooks will need.
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError>;

    /// Calls the hooks for what was read last.
    fn call_hooks(&mut self);

    /// Forgets what was kept for the hooks.
    fn skip_hooks(&mut self);

    /// The server is about to lend the behaviour for writing.
    fn begin_change(&mut self);

    /// The server has got the behaviour back.
    fn end_change(&mut self);

    /// Reads the arguments of a remote call, and calls it.
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

/// A behaviour, for finding out its type.
pub(crate) trait AnyBehaviour: Any + Send + Sync {}

impl<B: NetworkBehaviour> AnyBehaviour for B {}

/// A behaviour of a known type.
pub(super) struct TypedSlot<B: NetworkBehaviour> {
    pub(super) behaviour: B,
    last_send: Nanos,
    previous: Option<B::Previous>,
}

impl<B: NetworkBehaviour> TypedSlot<B> {
    const INFO: &'static BehaviourInfo = &BehaviourInfo {
        schema: B::SCHEMA,
        channel: B::CHANNEL,
        send_interval: nanos(B::SEND_INTERVAL),
        resendable: B::RESENDABLE,
        operation_bits: B::SCHEMA.operation_bits(),
        calls: B::CALLS,
    };

    pub(super) fn new(behaviour: B) -> Self {
        Self {
            behaviour,
            last_send: 0,
            previous: None,
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
    }

    fn make_changes_whole(&mut self) {
        let dirty_bits = self.behaviour.sync_var_dirty_bits();
        self.behaviour.set_dirty_bit(dirty_bits);
    }

    #[inline]
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        writer.at_behaviour(Some(B::SCHEMA.name));
        if initial_state {
            self.behaviour.set_observed(true);
        }
        self.behaviour.on_serialize(writer, initial_state)
    }

    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter) {
        let dirty_bits = self.behaviour.sync_var_dirty_bits();
        self.behaviour.clear_all_dirty_bits();
        self.behaviour.set_dirty_bit(missed);
        self.serialize(writer, false);
        self.behaviour.clear_all_dirty_bits();
        self.behaviour.set_dirty_bit(dirty_bits);
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
    fn call_hooks(&mut self) {
        if let Some(previous) = self.previous.take() {
            self.behaviour.call_hooks(previous);
        }
    }

    #[inline]
    fn skip_hooks(&mut self) {
        self.previous = None;
    }

    fn begin_change(&mut self) {
        self.previous = self.behaviour.before_change();
    }

    fn end_change(&mut self) {
        self.behaviour.notice_replacements();
        if let Some(before) = self.previous.take() {
            self.behaviour.withdraw_changes(before);
        }
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
