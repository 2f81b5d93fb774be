//! The payload of an object: a mask of its components, then the snapshot or delta of each, behind a
//! byte with its length. WIRE.md, section 4.

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::events::Events;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::unstable::object::{
    DeferredHooks, ErasedHooks, HookRun, Hooks, Slots, run_hooks_as_write,
};
use syncvar_runtime::{
    ChangedFields, Encoding, HookFailure, NetId, NetworkReader, ReadError, ReadErrorKind,
};

use crate::client::context::Context;
use crate::client::event::{MirrorClientEvent, PayloadMismatch};
use crate::client::inbound::Inbound;
use crate::client::objects::Objects;
use crate::client::objects::components::has_bit;
use crate::client::objects::entry::SpawnStage;
use crate::client::stats::MirrorClientStats;
use crate::message::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    Message, NetworkMessage,
};

/// Components of an object in a message.
pub(crate) struct ObjectPayload<'a> {
    pub(crate) object: NetId,
    /// Name of the message, for errors.
    pub(crate) message: &'static str,
    pub(crate) bytes: &'a [u8],
    /// The components are snapshots.
    pub(crate) initial_state: bool,
}

impl<'a> ObjectPayload<'a> {
    /// Returns the components of a message that counts; `None` for a message without components.
    pub(crate) fn of(
        objects: &mut Objects,
        stats: &mut MirrorClientStats,
        message: &Message<'a>,
        time: f64,
    ) -> Option<Self> {
        match message {
            Message::EntityState(message) => Self::of_state(objects, stats, message),
            Message::UnreliableBaseline(message) => {
                Self::of_baseline(objects, stats, message, time)
            }
            Message::UnreliableDelta(message) => Self::of_delta(objects, stats, message, time),
            _ => None,
        }
    }

    /// Returns the components of a reliable delta, for a spawned object.
    fn of_state(
        objects: &mut Objects,
        stats: &mut MirrorClientStats,
        message: &EntityStateMessage<'a>,
    ) -> Option<Self> {
        objects.spawned(message.net_id, stats)?;
        Some(Self {
            object: message.net_id,
            message: EntityStateMessage::NAME,
            bytes: message.payload.unwrap_or_default(),
            initial_state: false,
        })
    }

    /// Returns the components of a baseline of hybrid components, and records the baseline.
    fn of_baseline(
        objects: &mut Objects,
        stats: &mut MirrorClientStats,
        message: &EntityStateMessageUnreliableBaseline<'a>,
        time: f64,
    ) -> Option<Self> {
        let object = objects.spawned_quietly(message.net_id, stats)?;
        object.unreliable.set_baseline(message.baseline_tick, time);
        Some(Self {
            object: message.net_id,
            message: EntityStateMessageUnreliableBaseline::NAME,
            bytes: message.payload.unwrap_or_default(),
            initial_state: true,
        })
    }

    /// Returns the components of a delta of hybrid components, unless the delta is outdated or refers to a different
    /// baseline.
    fn of_delta(
        objects: &mut Objects,
        stats: &mut MirrorClientStats,
        message: &EntityStateMessageUnreliableDelta<'a>,
        time: f64,
    ) -> Option<Self> {
        let object = objects.spawned_quietly(message.net_id, stats)?;
        if !object.unreliable.accept(message.baseline_tick, time) {
            stats.outdated = stats.outdated.wrapping_add(1);
            return None;
        }
        Some(Self {
            object: message.net_id,
            message: EntityStateMessageUnreliableDelta::NAME,
            bytes: message.payload.unwrap_or_default(),
            initial_state: false,
        })
    }
}

impl Inbound {
    /// Reads snapshots or deltas of an object, all of them before the first hook. Returns the hooks if a hook
    /// takes a context: the caller runs them on the checked-out object.
    ///
    /// # Errors
    ///
    /// If the components cannot be separated.
    pub(crate) fn read_payload(
        &mut self,
        objects: &mut Objects,
        context: &mut Context,
        payload: &ObjectPayload<'_>,
    ) -> (Vec<DeferredHooks>, Result<(), ReadError>) {
        self.add_share(payload.bytes.len(), context);
        let Some(object) = objects.world.objects.get(payload.object.0) else {
            return (Vec::new(), Ok(()));
        };
        let is_known = object.stage == SpawnStage::Spawned;
        let Some(slots) = objects.world.pools.slots_mut(object.at) else {
            return (Vec::new(), Ok(()));
        };
        let mut reception = PayloadReception {
            object: payload.object,
            budget: self.budget,
            events: &mut context.events,
            stats: &mut context.stats,
        };
        let components = &mut self.components;
        let result = reception.read_components(slots, payload, components);
        self.budget = reception.budget;
        for hooks in &mut *components {
            hooks.reported = is_known && hooks.fields != 0;
        }
        if slots.needs_context(components) {
            return (std::mem::take(components), result);
        }
        reception.call_hooks(slots, components);
        (Vec::new(), result)
    }
}

/// The application of a payload to an object.
struct PayloadReception<'a> {
    object: NetId,
    budget: ReadBudget,
    events: &'a mut Events<MirrorClientEvent>,
    stats: &'a mut MirrorClientStats,
}

impl PayloadReception<'_> {
    /// Returns a reader with the rest of the budget.
    fn reader<'a>(&self, bytes: &'a [u8]) -> NetworkReader<'a> {
        NetworkReader::with_encoding(bytes, Encoding::Mirror).with_budget(self.budget)
    }

    /// Reads the components of a payload, up to the first one without a known end.
    fn read_components(
        &mut self,
        slots: &mut dyn Slots,
        payload: &ObjectPayload<'_>,
        components: &mut Vec<DeferredHooks>,
    ) -> Result<(), ReadError> {
        let initial_state = payload.initial_state;
        let mut reader = self.reader(payload.bytes);
        let mask = reader.read_var_u64()?;
        let mut rest = reader.rest();
        for index in (0..slots.len()).filter(|index| has_bit(mask, *index)) {
            components.push(self.read_component(index, slots, &mut rest, initial_state)?);
        }
        Ok(())
    }

    /// Reads one component, and advances to the start of the next.
    fn read_component(
        &mut self,
        index: usize,
        slots: &mut dyn Slots,
        rest: &mut &[u8],
        initial_state: bool,
    ) -> Result<DeferredHooks, ReadError> {
        let Some((safety, body)) = rest.split_first() else {
            let (needed, left) = (1, 0);
            let kind = ReadErrorKind::UnexpectedEnd { needed, left };
            return Err(self.reader(rest).error(kind));
        };
        let mut reader = self.reader(body);
        let mut component = DeferredHooks {
            object: self.object,
            behaviour: index,
            fields: 0,
            tick: None,
            reported: false,
            hooks: ErasedHooks::default(),
        };
        let mut behaviour = None;
        let mut error = None;
        if let Some(slot) = slots.slot_mut(index) {
            let schema = &slot.info().schema;
            behaviour = Some(schema.name);
            match slot.read_layout(&mut reader, initial_state) {
                Ok(hooks) => component.hooks = hooks,
                Err(failed) => error = Some(failed),
            }
            component.fields = if initial_state {
                schema.dirty_bits()
            } else {
                reader.take_report().seen
            };
        }
        self.budget = reader.budget();
        let read = reader.position();
        let length = read & !0xff | usize::from(*safety);
        let next = body.get(length..);
        if error.is_some() || length != read || next.is_none() {
            self.report_mismatch(PayloadMismatch {
                object: self.object,
                component: index,
                behaviour,
                read,
                corrected: next.is_some().then_some(length),
                error,
            });
        }
        *rest = next.unwrap_or_default();
        Ok(component)
    }

    fn report_mismatch(&mut self, mismatch: PayloadMismatch) {
        self.stats.mismatches = self.stats.mismatches.wrapping_add(1);
        if let Some(error) = &mismatch.error {
            self.stats.refused.count_read(error.kind());
        }
        tracing::error!(
            ?mismatch,
            "a component was read with another length than written"
        );
        self.events
            .push(MirrorClientEvent::Mismatch(Box::new(mismatch)));
    }

    /// Calls hooks without a context, and reports the received fields.
    fn call_hooks(&mut self, slots: &mut dyn Slots, components: &mut Vec<DeferredHooks>) {
        for mut component in components.drain(..) {
            let Some(slot) = slots.slot_mut(component.behaviour) else {
                continue;
            };
            let fields = ChangedFields::new(slot.info().class, component.fields);
            let mut called = Ok(());
            if !component.hooks.is_empty() {
                let hooks = std::mem::take(&mut component.hooks);
                let HookRun { result, .. } = run_hooks_as_write(slot, Hooks::Changed(hooks));
                called = result;
            }
            report_hooks(self.events, &component, fields, called);
        }
    }
}

/// Reports a panic of hooks, and then the received fields.
pub(crate) fn report_hooks(
    events: &mut Events<MirrorClientEvent>,
    hooks: &DeferredHooks,
    fields: ChangedFields,
    called: Result<(), Panicked>,
) {
    let (object, component) = (hooks.object, hooks.behaviour);
    if let Err(Panicked(message)) = called {
        let failure = HookFailure::new(object, fields, message);
        events.push(MirrorClientEvent::HookFailed(Box::new(failure)));
    }
    if hooks.reported {
        events.push(MirrorClientEvent::Changed {
            object,
            component,
            fields,
        });
    }
}
