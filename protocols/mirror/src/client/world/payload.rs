//! The payload of an object: a mask of its components, then the snapshot or delta of each, behind a
//! byte with its length. WIRE.md, section 4.

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::events::Events;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::object::{
    DeferredHooks, ErasedHooks, HookRun, Hooks, Slots, run_hooks_as_write,
};
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{
    ChangedFields, Encoding, HookFailure, NetId, NetworkReader, ReadError, ReadErrorKind,
};

use crate::MirrorError;
use crate::client::world::guard::has_bit;
use crate::client::world::object::Stage;
use crate::client::{MirrorClient, MirrorClientEvent, MirrorClientStats, PayloadMismatch};

impl MirrorClient {
    /// Reads snapshots or deltas of an object, all of them before the first hook.
    ///
    /// # Errors
    ///
    /// Fails with a malformed message of this name if the components cannot be separated.
    pub(in crate::client) fn read_payload(
        &mut self,
        id: NetId,
        (message, payload): (&'static str, &[u8]),
        initial_state: bool,
    ) -> Result<(), MirrorError> {
        let limits = &self.config.limits;
        self.inbound.budget.add_share(limits, payload.len());
        let Some(object) = self.world.objects.get(id.0) else {
            return Ok(());
        };
        let is_known = object.stage == Stage::Spawned;
        let Some(slots) = self.world.pools.slots_mut(object.at) else {
            return Ok(());
        };
        let mut reception = Reception {
            object: id,
            budget: self.inbound.budget,
            events: &mut self.events,
            stats: &mut self.stats,
        };
        let components = &mut self.inbound.components;
        let result = reception.read_components(slots, payload, initial_state, components);
        self.inbound.budget = reception.budget;
        for hooks in &mut *components {
            hooks.reported = is_known && hooks.fields != 0;
        }
        if slots.needs_context(components) {
            let hooks = std::mem::take(components);
            self.run_hooks(hooks);
        } else {
            reception.call_hooks(slots, components);
        }
        let written = self.written_components(id);
        if let Some(slots) = self.world.slots_mut(id) {
            self.writes.collect(id, slots, written);
        }
        result.map_err(|error| MirrorError::Message { message, error })
    }

    /// Returns a reader with the limits of this client.
    pub(in crate::client) fn reader<'a>(&mut self, bytes: &'a [u8]) -> NetworkReader<'a> {
        let limits = &self.config.limits;
        self.inbound.budget.add_share(limits, bytes.len());
        NetworkReader::with_encoding(bytes, Encoding::Mirror).with_budget(self.inbound.budget)
    }
}

/// The application of one payload to an object.
struct Reception<'a> {
    object: NetId,
    budget: ReadBudget,
    events: &'a mut Events<MirrorClientEvent>,
    stats: &'a mut MirrorClientStats,
}

impl Reception<'_> {
    /// Returns a reader with the rest of the budget.
    fn reader<'a>(&self, bytes: &'a [u8]) -> NetworkReader<'a> {
        NetworkReader::with_encoding(bytes, Encoding::Mirror).with_budget(self.budget)
    }

    /// Reads the components of a payload, up to the first one without a known end.
    fn read_components(
        &mut self,
        slots: &mut dyn Slots,
        payload: &[u8],
        initial_state: bool,
        components: &mut Vec<DeferredHooks>,
    ) -> Result<(), ReadError> {
        let mut reader = self.reader(payload);
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
            report(self.events, &component, fields, called);
        }
    }
}

/// Reports a panic of hooks, and then the received fields.
pub(in crate::client) fn report(
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
