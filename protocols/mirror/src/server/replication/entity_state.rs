//! Writes of owners to their components.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::object::{DeferredHooks, HookRun, Hooks, StateSize, run_hooks_as_write};
use syncvar_runtime::world::{CallbackReport, CheckOut, Protocol};
use syncvar_runtime::{
    ChangedFields, ConnectionId, Encoding, NetId, NetworkReader, NetworkWriter, OperationLog,
    ReadError, ReadErrorKind,
};

use super::undo::Undo;
use crate::MirrorError;
use crate::message::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    NetworkMessage,
};
use crate::server::observers::audience::Audiences;
use crate::server::stats::one_more;
use crate::server::{MirrorServer, MirrorServerEvent, StateRefusal};

/// Error of a component with a wrong length.
const OTHER_LENGTH: &str = "the component is not as long as it says";

/// Components read from a message.
#[derive(Default)]
struct ReceivedState {
    /// Bits of the components.
    components: u64,
    /// Their hooks.
    hooks: Vec<DeferredHooks>,
    /// Their former values.
    undo: Undo,
    /// Their positions and fields.
    fields: Vec<(usize, ChangedFields)>,
}

/// Returns a conversion to the error of a malformed message.
const fn in_message(message: &'static str) -> impl FnOnce(ReadError) -> MirrorError {
    move |error| MirrorError::Message { message, error }
}

impl MirrorServer {
    /// Applies a delta from the owner of an object: Mirror's `DeserializeServer`. Components that
    /// the owner may not write are skipped, and take no bytes. Hooks run after the whole message is
    /// read; then all other observers receive the written components.
    pub(in crate::server) fn handle_entity_state(
        &mut self,
        from: ConnectionId,
        state: &EntityStateMessage<'_>,
    ) -> Result<(), MirrorError> {
        if !self.may_write(from, state.net_id) {
            return Ok(());
        }
        let payload = state.payload.unwrap_or_default();
        self.apply_state(from, state.net_id, payload, false)
            .map_err(in_message(EntityStateMessage::NAME))
    }

    /// Applies a baseline of hybrid components.
    pub(in crate::server) fn handle_baseline(
        &mut self,
        from: ConnectionId,
        time: f64,
        state: &EntityStateMessageUnreliableBaseline<'_>,
    ) -> Result<(), MirrorError> {
        if !self.may_write(from, state.net_id) {
            return Ok(());
        }
        let unreliable = self.replication.unreliable.entry(state.net_id).or_default();
        unreliable.set_baseline(state.baseline_tick, time);
        let payload = state.payload.unwrap_or_default();
        self.apply_state(from, state.net_id, payload, true)
            .map_err(in_message(EntityStateMessageUnreliableBaseline::NAME))
    }

    /// Applies a delta of hybrid components, unless it is outdated.
    pub(in crate::server) fn handle_delta(
        &mut self,
        from: ConnectionId,
        time: f64,
        state: &EntityStateMessageUnreliableDelta<'_>,
    ) -> Result<(), MirrorError> {
        if !self.may_write(from, state.net_id) {
            return Ok(());
        }
        let unreliable = self.replication.unreliable.entry(state.net_id).or_default();
        if !unreliable.accept(state.baseline_tick, time) {
            one_more(&mut self.stats.outdated_states);
            return Ok(());
        }
        let payload = state.payload.unwrap_or_default();
        self.apply_state(from, state.net_id, payload, false)
            .map_err(in_message(EntityStateMessageUnreliableDelta::NAME))
    }

    /// Returns whether a connection owns an object; otherwise refuses the write.
    fn may_write(&mut self, from: ConnectionId, object: NetId) -> bool {
        let reason = match self.world.objects.get(object.0).map(|object| object.owner) {
            None => StateRefusal::UnknownObject,
            Some(owner) if owner != Some(from) => StateRefusal::NotOwner,
            Some(_) => return true,
        };
        self.refuse_state(from, object, reason);
        false
    }

    fn apply_state(
        &mut self,
        from: ConnectionId,
        object: NetId,
        payload: &[u8],
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let mut written = ReceivedState::default();
        let mut reader = NetworkReader::with_encoding(payload, Encoding::Mirror)
            .with_budget(self.sessions.intake.budget)
            .relaying();
        let result = self.read_owner_state(object, &mut reader, initial_state, &mut written);
        let taken = { self.sessions.intake.budget.memory }.saturating_sub(reader.budget().memory);
        let taken = taken.saturating_add(payload.len());
        let result = result.and_then(|()| self.keep_memory((from, object), taken, &mut reader));
        if result.is_err() {
            self.undo(object, std::mem::take(&mut written).undo, &mut reader);
        }
        self.sessions.intake.budget = reader.budget();
        self.call_state_hooks(object, written.hooks);
        self.queue_written(object, written.components);
        match &result {
            Ok(()) => {
                for (component, fields) in written.fields {
                    self.events.push_minor(MirrorServerEvent::Written {
                        connection: from,
                        object,
                        component,
                        fields,
                    });
                }
            }
            Err(error) => {
                self.refuse_state(from, object, StateRefusal::Malformed(error.clone()));
            }
        }
        result
    }

    /// Restores the components of a refused message.
    fn undo(&mut self, id: NetId, undo: Undo, reader: &mut NetworkReader<'_>) {
        let slots = self.world.slots_mut(id);
        if slots.is_some_and(|slots| undo.restore(slots, reader)) {
            self.queue_dirty(id);
        }
    }

    fn refuse_state(&mut self, connection: ConnectionId, object: NetId, reason: StateRefusal) {
        one_more(&mut self.stats.refused_states);
        self.sessions.intake.count(Misbehaviour::Ignored);
        self.events.push_minor(MirrorServerEvent::StateRefused {
            connection,
            object,
            reason,
        });
    }

    /// Reads components of an object.
    fn read_owner_state(
        &mut self,
        id: NetId,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
        written: &mut ReceivedState,
    ) -> Result<(), ReadError> {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return Ok(());
        };
        let (Some(entry), Some(slots)) = (
            self.prefabs.get(object.prefab),
            self.world.pools.slots_mut(object.at),
        ) else {
            return Ok(());
        };
        let mut rest = reader.read_var_u64()? & entry.client_to_server;
        while rest != 0 {
            let (index, bit) = (rest.trailing_zeros(), rest & rest.wrapping_neg());
            rest &= !bit;
            let index = usize::try_from(index).unwrap_or_default();
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            let safety = reader.read_u8()?;
            written.undo.save(index, slot, reader, initial_state)?;
            let before = reader.remaining();
            written.components |= bit;
            written.hooks.push(DeferredHooks {
                object: id,
                behaviour: index,
                fields: slot.info().schema.dirty_bits(),
                tick: None,
                reported: false,
                hooks: slot.read_layout(reader, initial_state)?,
            });
            let fields = if initial_state {
                slot.info().schema.dirty_bits()
            } else {
                reader.take_report().seen
            };
            let fields = ChangedFields::new(slot.info().class, fields);
            written.fields.push((index, fields));
            let read = before.saturating_sub(reader.remaining());
            if !read.to_le_bytes().starts_with(&[safety]) {
                return Err(reader.error(ReadErrorKind::Custom(OTHER_LENGTH)));
            }
        }
        Ok(())
    }

    /// Records the memory of a write, or rejects the write. The exact memory is measured only where the
    /// memory taken by the reader could exceed the limit.
    fn keep_memory(
        &mut self,
        (from, id): (ConnectionId, NetId),
        taken: usize,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let limit = self.config.limits.max_owner_memory;
        let Some(client) = self.sessions.get_mut(from) else {
            return Ok(());
        };
        let mut now = client.memory.of(id).saturating_add(taken);
        if client.memory.with(id, 0, now) > limit
            && let Some(slots) = self.world.slots_mut(id)
        {
            reader.take_work(now)?;
            let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
            slots.for_each_mut(|slot| {
                let fields = slot.info().schema.dirty_bits();
                slot.fields().write_fields(&mut writer, fields);
            });
            let size = StateSize::of(&mut writer);
            reader.take_work(size.work.min(reader.budget().work))?;
            now = now.min(size.memory);
        }
        if client.memory.with(id, 0, now) > limit {
            return Err(reader.error(ReadErrorKind::TooMuchOwnerMemory { limit }));
        }
        client.memory.record(id, 0, now);
        Ok(())
    }

    /// Calls the hooks of a written object, on a checked-out object if one takes a context.
    fn call_state_hooks(&mut self, id: NetId, hooks: Vec<DeferredHooks>) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let (observed, announced) = (object.audience != Audiences::EMPTY, object.announced);
        let Some(slots) = self.world.pools.slots_mut(object.at) else {
            return;
        };
        if slots.needs_context(&hooks) {
            return self.run_hooks(hooks);
        }
        let mut called = Vec::new();
        for mut hooks in hooks {
            let Some(slot) = slots.slot_mut(hooks.behaviour) else {
                continue;
            };
            let arguments = std::mem::take(&mut hooks.hooks);
            let HookRun { result, .. } = run_hooks_as_write(slot, Hooks::Changed(arguments));
            slot.set_log(OperationLog::Full { pending: announced });
            if !observed {
                slot.set_observed(false);
            }
            if result.is_err() {
                let fields = ChangedFields::new(slot.info().class, hooks.fields);
                called.push((hooks, fields, result));
            }
        }
        for (hooks, fields, result) in called {
            self.report(CallbackReport::HooksCalled {
                hooks: &hooks,
                fields,
                result,
            });
        }
    }

    /// Queues the written components for all other observers, with all fields: Mirror marks every
    /// field dirty.
    fn queue_written(&mut self, id: NetId, written: u64) {
        if let Some(object) = self.world.objects.get_mut(id.0)
            && written != 0
        {
            object.fully_dirty |= written;
            self.queue_dirty(id);
        }
    }
}
