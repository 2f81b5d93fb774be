//! Writes of owners to their components.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::unstable::object::{
    DeferredHooks, HookRun, Hooks, StateSize, run_hooks_as_write,
};
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
use crate::server::audiences::Audiences;
use crate::server::event::{MirrorServerEvent, StateRefusal};
use crate::server::replication::Replication;
use crate::server::rooms::Rooms;
use crate::server::stats::one_more;

/// Error of a component with a wrong length.
const OTHER_LENGTH: &str = "the component is not as long as it says";

/// A message with components of an object, from a connection.
#[derive(Clone, Copy)]
pub(crate) struct OwnerWrite<'a> {
    pub(crate) from: ConnectionId,
    pub(crate) object: NetId,
    payload: &'a [u8],
    kind: WriteKind,
}

/// Message of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteKind {
    Reliable,
    /// A baseline of hybrid components with this number.
    Baseline(u8),
    /// A delta of hybrid components, relative to the baseline with this number.
    Delta(u8),
}

impl<'a> OwnerWrite<'a> {
    pub(crate) fn reliable(from: ConnectionId, message: &EntityStateMessage<'a>) -> Self {
        Self {
            from,
            object: message.net_id,
            payload: message.payload.unwrap_or_default(),
            kind: WriteKind::Reliable,
        }
    }

    pub(crate) fn baseline(
        from: ConnectionId,
        message: &EntityStateMessageUnreliableBaseline<'a>,
    ) -> Self {
        Self {
            from,
            object: message.net_id,
            payload: message.payload.unwrap_or_default(),
            kind: WriteKind::Baseline(message.baseline_tick),
        }
    }

    pub(crate) fn delta(
        from: ConnectionId,
        message: &EntityStateMessageUnreliableDelta<'a>,
    ) -> Self {
        Self {
            from,
            object: message.net_id,
            payload: message.payload.unwrap_or_default(),
            kind: WriteKind::Delta(message.baseline_tick),
        }
    }

    /// Returns whether the components are snapshots.
    fn is_initial(&self) -> bool {
        matches!(self.kind, WriteKind::Baseline(_))
    }

    /// Returns the error of a malformed message.
    fn malformed(&self, error: ReadError) -> MirrorError {
        let message = match self.kind {
            WriteKind::Reliable => EntityStateMessage::NAME,
            WriteKind::Baseline(_) => EntityStateMessageUnreliableBaseline::NAME,
            WriteKind::Delta(_) => EntityStateMessageUnreliableDelta::NAME,
        };
        MirrorError::Message { message, error }
    }
}

/// Components read from a message.
#[derive(Default)]
pub(crate) struct ReceivedState {
    /// Bits of the components.
    components: u64,
    /// Hooks of the components.
    hooks: Vec<DeferredHooks>,
    /// Values before the message.
    undo: Undo,
    /// Positions and fields of the components.
    fields: Vec<(usize, ChangedFields)>,
    /// Why the message was refused.
    error: Option<ReadError>,
}

impl Replication {
    /// Returns whether a write counts: the connection owns the object, and the write is not outdated. Reports a
    /// refusal.
    pub(crate) fn admit_write(
        &mut self,
        rooms: &mut Rooms<'_>,
        write: OwnerWrite<'_>,
        time: f64,
    ) -> bool {
        let reason = match rooms.objects.get(write.object).map(|object| object.owner) {
            None => Some(StateRefusal::UnknownObject),
            Some(owner) if owner != Some(write.from) => Some(StateRefusal::NotOwner),
            Some(_) => None,
        };
        if let Some(reason) = reason {
            refuse_write(rooms, write, reason);
            return false;
        }
        match write.kind {
            WriteKind::Reliable => {}
            WriteKind::Baseline(tick) => {
                let unreliable = self.unreliable.entry(write.object).or_default();
                unreliable.set_baseline(tick, time);
            }
            WriteKind::Delta(tick) => {
                let unreliable = self.unreliable.entry(write.object).or_default();
                if !unreliable.accept(tick, time) {
                    one_more(&mut rooms.context.stats.outdated_states);
                    return false;
                }
            }
        }
        true
    }

    /// Reads a write into the object: Mirror's `DeserializeServer`. Components that the owner may not
    /// write are skipped, and take no bytes. A malformed write is undone. The hooks wait for
    /// [`call_hooks`](ReceivedState::call_hooks), the observers for [`finish_write`](Self::finish_write).
    pub(crate) fn read_write(
        &mut self,
        rooms: &mut Rooms<'_>,
        write: OwnerWrite<'_>,
    ) -> ReceivedState {
        let mut received = ReceivedState::default();
        let budget = rooms.sessions.intake.budget;
        let mut reader = NetworkReader::with_encoding(write.payload, Encoding::Mirror)
            .with_budget(budget)
            .relaying();
        let result = received.read(rooms, write, &mut reader);
        let taken = budget.memory.saturating_sub(reader.budget().memory);
        let taken = taken.saturating_add(write.payload.len());
        let result = result.and_then(|()| keep_memory(rooms, write, taken, &mut reader));
        if let Err(error) = result {
            let undo = std::mem::take(&mut received).undo;
            received.error = Some(error);
            let slots = rooms.objects.world.slots_mut(write.object);
            if slots.is_some_and(|slots| undo.restore(slots, &mut reader)) {
                self.queue_dirty(rooms.objects, write.object);
            }
        }
        rooms.sessions.intake.budget = reader.budget();
        received
    }

    /// Queues the written components for the observers beside the owner, with all fields: Mirror marks every
    /// field dirty. Reports the write.
    pub(crate) fn finish_write(
        &mut self,
        rooms: &mut Rooms<'_>,
        write: OwnerWrite<'_>,
        received: ReceivedState,
    ) -> Result<(), MirrorError> {
        if received.components != 0
            && let Some(object) = rooms.objects.get_mut(write.object)
        {
            object.fully_dirty |= received.components;
            self.queue_dirty(rooms.objects, write.object);
        }
        if let Some(error) = received.error {
            refuse_write(rooms, write, StateRefusal::Malformed(error.clone()));
            return Err(write.malformed(error));
        }
        for (component, fields) in received.fields {
            rooms.context.events.push_minor(MirrorServerEvent::Written {
                connection: write.from,
                object: write.object,
                component,
                fields,
            });
        }
        Ok(())
    }
}

/// Counts and reports a refused write.
fn refuse_write(rooms: &mut Rooms<'_>, write: OwnerWrite<'_>, reason: StateRefusal) {
    one_more(&mut rooms.context.stats.refused_states);
    rooms.sessions.intake.count(Misbehaviour::Ignored);
    let event = MirrorServerEvent::StateRefused {
        connection: write.from,
        object: write.object,
        reason,
    };
    rooms.context.events.push_minor(event);
}

/// Records the memory of a write, or rejects the write. The exact memory is measured only where the
/// memory taken by the reader could exceed the limit.
fn keep_memory(
    rooms: &mut Rooms<'_>,
    write: OwnerWrite<'_>,
    taken: usize,
    reader: &mut NetworkReader<'_>,
) -> Result<(), ReadError> {
    let limit = rooms.context.config.limits.max_owner_memory;
    let id = write.object;
    let Some(client) = rooms.sessions.get_mut(write.from) else {
        return Ok(());
    };
    let memory = &mut client.holdings.memory;
    let mut now = memory.of(id).saturating_add(taken);
    if memory.with(id, 0, now) > limit
        && let Some(slots) = rooms.objects.world.slots_mut(id)
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
    if memory.with(id, 0, now) > limit {
        return Err(reader.error(ReadErrorKind::TooMuchOwnerMemory { limit }));
    }
    memory.record(id, 0, now);
    Ok(())
}

impl ReceivedState {
    /// Reads the components of a message into the object.
    fn read(
        &mut self,
        rooms: &mut Rooms<'_>,
        write: OwnerWrite<'_>,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let id = write.object;
        let world = &mut rooms.objects.world;
        let Some(object) = world.objects.get_mut(id.0) else {
            return Ok(());
        };
        let (Some(entry), Some(slots)) = (
            rooms.objects.prefabs.get(object.prefab),
            world.pools.slots_mut(object.at),
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
            self.undo.save(index, slot, reader, write.is_initial())?;
            let before = reader.remaining();
            self.components |= bit;
            self.hooks.push(DeferredHooks {
                object: id,
                behaviour: index,
                fields: slot.info().schema.dirty_bits(),
                tick: None,
                reported: false,
                hooks: slot.read_layout(reader, write.is_initial())?,
            });
            let fields = if write.is_initial() {
                slot.info().schema.dirty_bits()
            } else {
                reader.take_report().seen
            };
            let fields = ChangedFields::new(slot.info().class, fields);
            self.fields.push((index, fields));
            let read = before.saturating_sub(reader.remaining());
            if !read.to_le_bytes().starts_with(&[safety]) {
                return Err(reader.error(ReadErrorKind::Custom(OTHER_LENGTH)));
            }
        }
        Ok(())
    }

    /// Calls the hooks of the written object. Returns the hooks if a hook takes a context: the caller runs them
    /// on the checked-out object.
    pub(crate) fn call_hooks(&mut self, rooms: &mut Rooms<'_>, id: NetId) -> Vec<DeferredHooks> {
        let hooks = std::mem::take(&mut self.hooks);
        let world = &mut rooms.objects.world;
        let Some(object) = world.objects.get_mut(id.0) else {
            return Vec::new();
        };
        let is_observed = object.view.audience != Audiences::EMPTY;
        let announced = object.announced;
        let Some(slots) = world.pools.slots_mut(object.at) else {
            return Vec::new();
        };
        if slots.needs_context(&hooks) {
            return hooks;
        }
        for mut hooks in hooks {
            let Some(slot) = slots.slot_mut(hooks.behaviour) else {
                continue;
            };
            let arguments = std::mem::take(&mut hooks.hooks);
            let HookRun { result, .. } = run_hooks_as_write(slot, Hooks::Changed(arguments));
            slot.set_log(OperationLog::Full { pending: announced });
            if !is_observed {
                slot.set_observed(false);
            }
            if result.is_err() {
                let fields = ChangedFields::new(slot.info().class, hooks.fields);
                rooms.context.report_hook(&hooks, fields, result);
            }
        }
        Vec::new()
    }
}
