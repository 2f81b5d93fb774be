//! `UntypedSlot`: an untyped behaviour in the update loop.

use super::behaviour::UntypedBehaviour;
use super::class::UntypedClass;
use crate::behaviour::{AnyBehaviour, Panicked};
use crate::field::Lineage;
use crate::motion::Moment;
use crate::object::{
    ErasedFields, ErasedHooks, Hooks, Nanos, PolicySlot, Remembered, Slot, SlotInfo, SlotParts,
    SlotState,
};
use crate::value::Value;
use crate::{
    BufferSerializer, CallContext, Encoding, LifecycleCallback, LifecycleResult, NetworkContext,
    NetworkReader, NetworkWriter, ReadErrorKind, ReadResult, SynchronizeError,
};

/// An untyped behaviour with its state in the update loop. It has no hooks: its changes are events.
pub(super) struct UntypedSlot {
    behaviour: UntypedBehaviour,
    last_send: Nanos,
    lineage: Lineage,
    state: Option<Box<SlotState>>,
    /// Data beside the fields, in `Compact`: a server that follows another one passes it on.
    data: Option<Box<[u8]>>,
}

impl UntypedSlot {
    pub(super) fn new(class: &'static UntypedClass) -> Self {
        Self {
            behaviour: UntypedBehaviour::new(class),
            last_send: 0,
            lineage: Lineage::unique(),
            state: class
                .info
                .policy
                .has_state()
                .then(|| Box::new(SlotState::with_policy())),
            data: None,
        }
    }

    /// Makes fields clean. Their tick becomes that of the frame.
    fn clear(&mut self, fields: u64, tick: Option<u32>) {
        if let (Some(tick), Some(state)) = (tick, &mut self.state) {
            state.set_ticks(fields, tick);
        }
        self.behaviour.dirty &= !fields;
    }
}

impl Slot for UntypedSlot {
    fn behaviour(&self) -> &dyn AnyBehaviour {
        &self.behaviour
    }

    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour {
        &mut self.behaviour
    }

    fn parts_mut(&mut self) -> SlotParts<'_, dyn AnyBehaviour> {
        let policy = self.state.as_mut().and_then(|state| state.policy_mut());
        SlotParts::new(&mut self.behaviour, &mut self.lineage, policy)
    }

    fn memory(&self) -> usize {
        let values = self.behaviour.values.iter().map(Value::memory);
        let data = self.data.as_ref().map_or(0, |data| data.len());
        values
            .sum::<usize>()
            .saturating_add(size_of::<Self>())
            .saturating_add(data)
    }

    #[inline]
    fn info(&self) -> &'static SlotInfo {
        &self.behaviour.class.info
    }

    #[inline]
    fn dirty_bits(&self) -> u64 {
        self.behaviour.dirty
    }

    fn forget_changes(&mut self, tick: Option<u32>) {
        self.clear(u64::MAX, tick);
        if let Some(policy) = self.state.as_mut().and_then(|state| state.policy_mut()) {
            policy.relayed = 0;
        }
    }

    /// Does nothing: a delta has whole values.
    fn make_changes_whole(&mut self) {}

    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        writer.at_behaviour(Some(self.behaviour.name()));
        self.behaviour.serialize(writer, initial_state)
    }

    fn write_layout(
        &mut self,
        writer: &mut NetworkWriter,
        initial_state: bool,
        _every_value: bool,
    ) -> bool {
        self.serialize(writer, initial_state)
    }

    fn read_layout(
        &mut self,
        reader: &mut NetworkReader<'_>,
        _initial_state: bool,
    ) -> ReadResult<ErasedHooks> {
        let kind = ReadErrorKind::Custom("an untyped behaviour in the encoding of Mirror");
        Err(reader.error(kind))
    }

    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter) -> u64 {
        let dirty = self.behaviour.dirty;
        self.fields().set_dirty_bit(missed);
        let context = writer.context().with_fields(missed);
        writer.with_context(context, |writer| self.serialize(writer, false));
        self.behaviour.dirty &= !(missed & !dirty);
        dirty & missed
    }

    #[inline]
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()> {
        self.behaviour.deserialize(reader, initial_state)
    }

    fn call_hooks(&mut self, _: Hooks) -> Result<(), Panicked> {
        Ok(())
    }

    fn call_hooks_with(
        &mut self,
        _: ErasedHooks,
        _: &mut NetworkContext<'_>,
    ) -> Result<(), Panicked> {
        Ok(())
    }

    fn take_hooks(&mut self) -> Option<ErasedHooks> {
        None
    }

    fn skip_hooks(&mut self) {}

    fn skip_hooks_of(&mut self, _: u64) {}

    fn remember_for_hooks(&mut self, _: u64) -> Option<Remembered> {
        None
    }

    fn changed_since(&mut self, _: &mut Remembered) -> u64 {
        0
    }

    fn begin_change(&mut self) {
        let policy = self.behaviour.class.info.policy;
        if let Some(state) = self.state.as_mut().and_then(|state| state.policy_mut()) {
            state.begin_change(&mut self.behaviour, &policy);
        }
    }

    fn end_change(&mut self) -> u64 {
        let state = self.state.as_mut().and_then(|state| state.policy_mut());
        state.map_or(0, |state| state.end_change(&mut self.behaviour))
    }

    fn align(&mut self, from: &dyn Slot) {
        let from: &dyn std::any::Any = from.behaviour();
        let Some(from) = from.downcast_ref::<UntypedBehaviour>() else {
            return;
        };
        if self.behaviour.is_optional() && self.behaviour.is_present() != from.is_present() {
            self.behaviour.reset();
            self.behaviour.set_present(from.is_present());
        }
    }

    fn policy_slot(&mut self) -> Option<PolicySlot<'_>> {
        let state = self.state.as_mut()?.policy_mut()?;
        Some(PolicySlot::new(&mut self.behaviour, state, self.lineage))
    }

    fn fields(&mut self) -> &mut dyn ErasedFields {
        &mut self.behaviour
    }

    #[inline]
    fn state(&self) -> Option<&SlotState> {
        self.state.as_deref()
    }

    #[inline]
    fn state_mut(&mut self) -> &mut Option<Box<SlotState>> {
        &mut self.state
    }

    /// Accepts every write: the checks are code.
    fn refused_writes(&mut self, _: u64, _: u32) -> u64 {
        0
    }

    fn record(&mut self, _: u64, _: u32, _: Option<&Moment<'_>>) {}

    fn show(&mut self, _: u64, _: u32, _: &mut NetworkContext<'_>) -> Result<(), Panicked> {
        Ok(())
    }

    fn drop_fields(&mut self, fields: u64, tick: Option<u32>) {
        self.clear(fields, tick);
        if let Some(policy) = self.state.as_mut().and_then(|state| state.policy_mut()) {
            policy.relayed &= !fields;
        }
    }

    fn mark_fields_sent(&mut self, fields: u64, now: Nanos, tick: Option<u32>) {
        self.clear(fields, tick);
        self.last_send = now;
        let policy = self.behaviour.class.info.policy;
        if let Some(state) = self.state.as_mut().and_then(|state| state.policy_mut()) {
            state.note_sent(&mut self.behaviour, &policy, fields, now);
        }
    }

    fn held_back(&mut self, _: Nanos) -> (u64, Option<Nanos>) {
        (0, None)
    }

    fn on_lifecycle(
        &mut self,
        _: LifecycleCallback,
        _: &mut NetworkContext<'_>,
    ) -> LifecycleResult {
        Ok(())
    }

    /// Keeps the data beside the fields, whose format is code, and writes the same bytes.
    fn synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        if let Some(reader) = serializer.reader() {
            let length = reader.remaining();
            reader.charge::<u8>(length)?;
            let data = reader.read_bytes(length)?;
            self.data = (reader.encoding() == Encoding::Compact).then(|| data.into());
        } else if let (Some(writer), Some(data)) = (serializer.writer(), &self.data)
            && writer.encoding() == Encoding::Compact
        {
            writer.write_bytes(data);
        }
        Ok(())
    }

    /// Checks the arguments of a call. The client reports the call as an event.
    fn handle_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        _: &mut CallContext<'_>,
    ) -> ReadResult<()> {
        let calls = &self.behaviour.class.calls;
        let arguments = usize::try_from(call).ok().and_then(|call| calls.get(call));
        let Some(arguments) = arguments else {
            return Err(reader.unknown_call(call));
        };
        for layout in arguments {
            layout.read_value(reader)?;
        }
        reader.finish()
    }

    #[inline]
    fn last_send(&self) -> Nanos {
        self.last_send
    }

    fn set_last_send(&mut self, now: Nanos) {
        self.last_send = now;
    }

    fn mark_sent(&mut self, now: Nanos, tick: Option<u32>) {
        self.clear(self.behaviour.dirty, tick);
        self.last_send = now;
    }

    fn take_sent(&mut self, now: Nanos, tick: Option<u32>) -> u64 {
        let fields = self.behaviour.dirty;
        self.mark_sent(now, tick);
        fields
    }
}
