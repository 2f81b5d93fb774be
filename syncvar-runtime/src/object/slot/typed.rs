//! Slot of a known type.

use std::any::Any;

use super::{ComponentLayout, HookContext, PolicySlot, Slot, SlotInfo, SlotParts, Tracked};
use crate::behaviour;
use crate::behaviour::{AnyBehaviour, Panicked, contain};
use crate::field::Lineage;
use crate::motion::{Moment, Shown};
use crate::object::bits::each;
use crate::object::erased_fields::ErasedFields;
use crate::object::hooks::{ErasedHooks, Hooks, Remembered};
use crate::object::nanos::{Nanos, nanos};
use crate::object::policy_state::PolicyState;
use crate::object::slot_state::SlotState;
use crate::schema::BehaviourClass;
use crate::{
    BehaviourFields, BufferSerializer, CallContext, LifecycleCallback, LifecycleResult,
    NetworkBehaviour, NetworkContext, NetworkReader, NetworkWriter, ReadResult, SerializeContext,
    SynchronizeError,
};

/// Slot of a behaviour of a known type: the row of an object with one behaviour.
pub struct TypedSlot<B: NetworkBehaviour> {
    behaviour: B,
    last_send: Nanos,
    lineage: Lineage,
    /// Values for the hooks after a read, or for codecs during a change.
    previous: Option<B::Previous>,
    /// State that most behaviours do without.
    state: Option<Box<SlotState>>,
}

impl<B: NetworkBehaviour> TypedSlot<B> {
    const INFO: &'static SlotInfo = &SlotInfo {
        class: BehaviourClass::of::<B>(),
        schema: B::SCHEMA,
        channel: B::INFO.channel,
        redundancy: B::INFO.redundancy,
        send_interval: if B::INFO.has_interval {
            Some(nanos(B::INFO.send_interval))
        } else {
            None
        },
        delivery: B::INFO.delivery,
        arrival: B::INFO.arrival,
        resendable: B::SCHEMA.resendable(),
        operation_bits: B::SCHEMA.operation_bits(),
        packed: B::SCHEMA.packed_bits(),
        initial_hooks: B::SCHEMA.initial_hooks(),
        interpolated: B::SCHEMA.interpolated(),
        history: B::SCHEMA.history(),
        on_view: B::SCHEMA.on_view(),
        policy: B::SCHEMA.policy_bits(),
        hook_context: if B::INFO.context_hooks {
            HookContext::Object
        } else {
            HookContext::Detached
        },
        lifecycle: B::INFO.has_lifecycle(),
        synchronize: B::INFO.has_synchronize(),
        on_frame: B::INFO.on_frame,
        calls: B::INFO.calls,
        presence: B::INFO.presence,
        layout: if B::INFO.own_layout {
            ComponentLayout::Own
        } else {
            ComponentLayout::Fields
        },
    };

    /// Set if reads leave values for the hooks.
    const REMEMBERS: bool = size_of::<B::Previous>() > 0;

    pub(crate) fn new(behaviour: B) -> Self {
        Self {
            behaviour,
            last_send: 0,
            lineage: Lineage::unique(),
            previous: None,
            state: Self::INFO.policy.has_state().then(|| {
                Box::new(SlotState {
                    policy: Some(Box::default()),
                    ..SlotState::default()
                })
            }),
        }
    }

    /// Returns the parts for a write.
    #[inline]
    pub(crate) fn parts(&mut self) -> SlotParts<'_, B> {
        SlotParts {
            policy: policy_of::<B>(&mut self.state),
            tracked: Tracked {
                behaviour: &mut self.behaviour,
                lineage: &mut self.lineage,
            },
        }
    }

    /// Takes the values for the hooks of the last read.
    #[inline]
    fn take_previous(&mut self) -> Option<B::Previous> {
        if Self::REMEMBERS {
            self.previous.take()
        } else {
            Some(B::Previous::default())
        }
    }

    /// Records a frame that wrote some fields, or would have written them.
    #[inline]
    fn note_frame(&mut self, fields: impl FnOnce(&B) -> u64, tick: Option<u32>) {
        let (Some(tick), Some(state)) = (tick, &mut self.state) else {
            return;
        };
        let history = if const { B::SCHEMA.history() != 0 } {
            state.tracks.as_mut().filter(|tracks| tracks.is_history())
        } else {
            None
        };
        if state.ticks.is_none() && history.is_none() {
            return;
        }
        let fields = fields(&self.behaviour);
        if let Some(ticks) = &mut state.ticks {
            ticks.set(fields, tick);
        }
        if let Some(tracks) = history {
            tracks.record(&mut self.behaviour, fields & Self::INFO.history, tick);
        }
    }
}

/// Returns the state of the restricted fields of a behaviour of this type.
#[inline]
fn policy_of<B: NetworkBehaviour>(state: &mut Option<Box<SlotState>>) -> Option<&mut PolicyState> {
    if const { B::SCHEMA.policy_bits().has_state() } {
        state.as_mut()?.policy.as_deref_mut()
    } else {
        None
    }
}

impl<B: NetworkBehaviour> Slot for TypedSlot<B> {
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
        for field in each(fields & Self::INFO.on_view) {
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
