//! A behaviour of a known type, as a slot.

use super::{BehaviourInfo, Nanos, Remembered, RuledSlot, Slot, nanos};
use crate::behaviour::{AnyBehaviour, Panicked, contain};
use crate::object::ruled::Ruled;
use crate::object::sections::MirrorHooks;
use crate::schema::Sections;
use crate::{
    BufferSerializer, CallContext, LifecycleCallback, LifecycleResult, NetworkBehaviour,
    NetworkContext, NetworkReader, NetworkWriter, ReadError, SynchronizeError,
};

/// A behaviour of a known type.
pub(in crate::object) struct TypedSlot<B: NetworkBehaviour> {
    pub(in crate::object) behaviour: B,
    last_send: Nanos,
    previous: Option<B::Previous>,
    /// What is kept of fields that have rules, if there are any.
    pub(in crate::object) ruled: Option<Box<Ruled>>,
}

impl<B: NetworkBehaviour> TypedSlot<B> {
    const INFO: &'static BehaviourInfo = &BehaviourInfo {
        schema: B::SCHEMA,
        channel: B::CHANNEL,
        send_interval: nanos(B::SEND_INTERVAL),
        sync_method: B::SYNC_METHOD,
        resendable: B::RESENDABLE,
        operation_bits: B::SCHEMA.operation_bits(),
        sections: B::SCHEMA.sections(),
        initial_hooks: B::INITIAL_HOOKS,
        rules: B::SCHEMA.rule_bits(),
        lifecycle: B::LIFECYCLE,
        synchronize: B::SYNCHRONIZE,
        calls: B::CALLS,
    };

    pub(in crate::object) fn new(behaviour: B) -> Self {
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

    fn set_verbatim(&mut self, verbatim: bool, promised: usize) {
        self.behaviour.set_verbatim(verbatim, promised);
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

    fn mark_repeated(&mut self, now: Nanos) {
        self.last_send = now;
    }
}
