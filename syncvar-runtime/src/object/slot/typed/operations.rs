//! Operations of the update loop on a slot of a known type, for which the compiler inlines the fields.

use std::any::Any;
use std::slice;

use prefetch_index::prefetch_index;

use super::{TypedSlot, policy_of};
use crate::behaviour;
use crate::behaviour::{AnyBehaviour, Panicked, contain};
use crate::motion::{Moment, Shown};
use crate::object::erased_fields::ErasedFields;
use crate::object::hooks::{ErasedHooks, Hooks, Remembered};
use crate::object::nanos::Nanos;
use crate::object::slot::{PolicySlot, Slot, SlotInfo, SlotParts, Tracked};
use crate::object::slot_state::SlotState;
use crate::schema::each_bit;
use crate::{
    BehaviourFields, BufferSerializer, CallContext, LifecycleCallback, LifecycleResult,
    NetworkBehaviour, NetworkContext, NetworkReader, NetworkWriter, ReadResult, SerializeContext,
    SynchronizeError,
};

impl<B: NetworkBehaviour> Slot for TypedSlot<B> {
    fn load(&self) {
        prefetch_index(slice::from_ref(self), 0);
    }

    fn behaviour(&self) -> &dyn AnyBehaviour {
        &self.behaviour
    }

    fn behaviour_mut(&mut self) -> &mut dyn AnyBehaviour {
        &mut self.behaviour
    }

    fn parts_mut(&mut self) -> SlotParts<'_, dyn AnyBehaviour> {
        let SlotParts { tracked, policy } = self.parts();
        SlotParts {
            tracked: Tracked {
                behaviour: tracked.behaviour,
                lineage: tracked.lineage,
                presence: None,
            },
            policy,
        }
    }

    #[inline]
    fn info(&self) -> &'static SlotInfo {
        Self::INFO
    }

    #[inline]
    fn dirty_bits(&self) -> u64 {
        self.behaviour.sync_var_dirty_bits()
    }

    fn forget_changes(&mut self, tick: Option<u32>) {
        self.note_frame(B::sync_var_dirty_bits, tick);
        self.lineage.mark_sent(&mut self.behaviour, u64::MAX);
        self.behaviour.set_observed(false);
        if let Some(state) = policy_of::<B>(&mut self.state) {
            state.relayed = 0;
            state.note_values(&mut self.behaviour, &Self::INFO.policy, u64::MAX);
        }
    }

    #[inline]
    fn make_changes_whole(&mut self) {
        BehaviourFields::make_changes_whole(&mut self.behaviour);
    }

    #[inline]
    fn serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        writer.at_behaviour(Some(B::SCHEMA.name));
        if initial_state {
            self.behaviour.set_observed(true);
        }
        self.behaviour.on_serialize(writer, initial_state)
    }

    fn write_layout(
        &mut self,
        writer: &mut NetworkWriter,
        initial_state: bool,
        every_value: bool,
    ) -> bool {
        writer.at_behaviour(Some(B::SCHEMA.name));
        if initial_state && const { !B::INFO.own_layout } {
            // A snapshot has every value in any case.
            return writer.write_layout(&mut self.behaviour, true);
        }
        let context = SerializeContext {
            every_value,
            ..*writer.context()
        };
        writer.with_context(context, |writer| {
            if const { !B::INFO.own_layout } {
                return writer.write_layout(&mut self.behaviour, initial_state);
            }
            if every_value {
                let packed = &Self::INFO.packed;
                BehaviourFields::set_dirty_bit(&mut self.behaviour, packed.values & packed.changes);
            }
            self.behaviour.on_serialize(writer, initial_state)
        })
    }

    fn read_layout(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<ErasedHooks> {
        if const { !B::INFO.own_layout } {
            let hooks = reader.read_layout(&mut self.behaviour, initial_state)?;
            return Ok(hooks.erased());
        }
        let previous = self.behaviour.on_deserialize(reader, initial_state)?;
        Ok(ErasedHooks::from(Box::new(previous) as Remembered))
    }

    fn write_again(&mut self, missed: u64, writer: &mut NetworkWriter) -> u64 {
        let dirty = self.behaviour.make_dirty(missed);
        let context = writer.context().with_fields(missed);
        writer.with_context(context, |writer| self.serialize(writer, false));
        self.lineage.mark_sent(&mut self.behaviour, missed & !dirty);
        dirty
    }

    #[inline]
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()> {
        let previous = self.behaviour.on_deserialize(reader, initial_state)?;
        if Self::REMEMBERS {
            self.previous = Some(previous);
        }
        Ok(())
    }

    #[inline]
    fn call_hooks(&mut self, hooks: Hooks) -> Result<(), Panicked> {
        if let Hooks::Changed(hooks) = hooks {
            return NetworkContext::detached(|ctx| self.call_hooks_with(hooks, ctx));
        }
        let Some(previous) = self.take_previous() else {
            return Ok(());
        };
        if !Self::REMEMBERS {
            // Without a hook, or without an argument for one: no need to catch panics.
            NetworkContext::detached(|ctx| self.behaviour.call_hooks(previous, ctx));
            return Ok(());
        }
        contain(|| NetworkContext::detached(|ctx| self.behaviour.call_hooks(previous, ctx)))
    }

    fn call_hooks_with(
        &mut self,
        hooks: ErasedHooks,
        ctx: &mut NetworkContext<'_>,
    ) -> Result<(), Panicked> {
        let hooks = hooks.of::<B>();
        contain(|| hooks.call(&mut self.behaviour, ctx))
    }

    fn take_hooks(&mut self) -> Option<ErasedHooks> {
        let previous = self.take_previous()?;
        Some(ErasedHooks::from(Box::new(previous) as Remembered))
    }

    #[inline]
    fn skip_hooks(&mut self) {
        if Self::REMEMBERS {
            self.previous = None;
        }
    }

    fn skip_hooks_of(&mut self, fields: u64) {
        if let Some(previous) = &mut self.previous {
            self.behaviour.skip_hooks(previous, fields);
        }
    }

    fn remember_for_hooks(&mut self, fields: u64) -> Option<Remembered> {
        let remembered = self.behaviour.remember_for_hooks(fields)?;
        Some(Box::new(remembered))
    }

    fn changed_since(&mut self, before: &mut Remembered) -> u64 {
        let before = before.downcast_mut::<B::Previous>();
        before.map_or(0, |before| self.behaviour.changed_since(before))
    }

    fn begin_change(&mut self) {
        self.previous = self.behaviour.before_change();
        if let Some(state) = policy_of::<B>(&mut self.state) {
            state.begin_change(&mut self.behaviour, &Self::INFO.policy);
        }
    }

    fn end_change(&mut self) -> u64 {
        self.lineage.notice_replacements(&mut self.behaviour);
        if let Some(before) = self.previous.take() {
            self.behaviour.withdraw_changes(before);
        }
        let state = policy_of::<B>(&mut self.state);
        state.map_or(0, |state| state.end_change(&mut self.behaviour))
    }

    fn align(&mut self, from: &dyn Slot) {
        let from = from.behaviour() as &dyn Any;
        if let Some(from) = from.downcast_ref::<B>() {
            self.behaviour.align(from, u64::MAX);
        }
    }

    fn policy_slot(&mut self) -> Option<PolicySlot<'_>> {
        let state = policy_of::<B>(&mut self.state)?;
        let behaviour = &mut self.behaviour;
        Some(PolicySlot {
            behaviour,
            state,
            lineage: self.lineage,
        })
    }

    fn refused_writes(&mut self, fields: u64, tick: u32) -> u64 {
        let checked = fields & Self::INFO.policy.checked;
        let Some(state) = policy_of::<B>(&mut self.state).filter(|_| checked != 0) else {
            return 0;
        };
        let behaviour = &mut self.behaviour;
        state.refused(checked, tick, |field, former, elapsed_ticks| {
            let check = || behaviour::accepts(behaviour, field, former, elapsed_ticks);
            contain(check).unwrap_or_else(|Panicked(message)| {
                let behaviour = B::SCHEMA.name;
                tracing::error!(behaviour, message, "a check panicked");
                Ok(false)
            })
        })
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

    #[inline]
    fn record(&mut self, fields: u64, tick: u32, view: Option<&Moment<'_>>) {
        if const { B::SCHEMA.interpolated() != 0 } && fields & Self::INFO.interpolated != 0 {
            let state = self.state.get_or_insert_default();
            let tracks = state.tracks.get_or_insert_default();
            tracks.record_seen(&mut self.behaviour, fields, tick, view);
        }
    }

    fn show(
        &mut self,
        fields: u64,
        tick: u32,
        ctx: &mut NetworkContext<'_>,
    ) -> Result<(), Panicked> {
        if const { B::SCHEMA.on_view() == 0 } {
            return Ok(());
        }
        let state = self.state.as_ref();
        let Some(tracks) = state.and_then(|state| state.tracks.as_deref()) else {
            return Ok(());
        };
        for field in each_bit(fields & Self::INFO.on_view) {
            if let Some(track) = tracks.any(field) {
                let shown = Shown::new(track, field, tick);
                contain(|| behaviour::show(&mut self.behaviour, &shown, ctx))?;
            }
        }
        Ok(())
    }

    fn drop_fields(&mut self, fields: u64, tick: Option<u32>) {
        self.note_frame(|_| fields, tick);
        self.lineage.mark_sent(&mut self.behaviour, fields);
        if let Some(state) = policy_of::<B>(&mut self.state) {
            state.relayed &= !fields;
        }
    }

    fn mark_fields_sent(&mut self, fields: u64, now: Nanos, tick: Option<u32>) {
        self.note_frame(|_| fields, tick);
        self.lineage.mark_sent(&mut self.behaviour, fields);
        self.last_send = now;
        if let Some(state) = policy_of::<B>(&mut self.state) {
            state.note_sent(&mut self.behaviour, &Self::INFO.policy, fields, now);
        }
    }

    fn held_back(&mut self, now: Nanos) -> (u64, Option<Nanos>) {
        let state = policy_of::<B>(&mut self.state);
        state.map_or((0, None), |state| {
            state.held_back(&mut self.behaviour, &B::SCHEMA, now)
        })
    }

    fn on_lifecycle(
        &mut self,
        callback: LifecycleCallback,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult {
        behaviour::on_lifecycle(&mut self.behaviour, callback, ctx)
    }

    fn synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        behaviour::synchronize(&mut self.behaviour, serializer)
    }

    fn handle_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> ReadResult<()> {
        behaviour::handle_call(&mut self.behaviour, call, reader, context)
    }

    #[inline]
    fn last_send(&self) -> Nanos {
        self.last_send
    }

    fn set_last_send(&mut self, now: Nanos) {
        self.last_send = now;
    }

    #[inline]
    fn mark_sent(&mut self, now: Nanos, tick: Option<u32>) {
        self.note_frame(B::sync_var_dirty_bits, tick);
        self.lineage.mark_sent(&mut self.behaviour, u64::MAX);
        self.last_send = now;
    }

    #[inline]
    fn take_sent(&mut self, now: Nanos, tick: Option<u32>) -> u64 {
        let fields = self.dirty_bits();
        self.note_frame(|_| fields, tick);
        self.lineage.mark_sent(&mut self.behaviour, u64::MAX);
        self.last_send = now;
        fields
    }
}
