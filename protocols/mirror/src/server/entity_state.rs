//! What the owner of an object writes to the components that are its to write.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::object::MirrorHooks;
use syncvar_runtime::{ConnectionId, Encoding, NetId, NetworkReader, ReadError, ReadErrorKind};

use super::audience::Audiences;
use super::stats::one_more;
use super::{MirrorServer, MirrorServerEvent, StateRefusal};
use crate::MirrorError;
use crate::message::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    NetworkMessage,
};

/// What is wrong with a component that ends elsewhere than it says.
const OTHER_LENGTH: &str = "the component is not as long as it says";

/// What has been read of what an owner has written.
#[derive(Default)]
struct Written {
    /// Which components.
    components: u64,
    /// What their hooks are to be told.
    hooks: Vec<(usize, MirrorHooks)>,
}

/// The error of a message that cannot be read.
const fn in_message(message: &'static str) -> impl FnOnce(ReadError) -> MirrorError {
    move |error| MirrorError::Message { message, error }
}

impl MirrorServer {
    /// Takes what the owner of an object has changed of it: Mirror's `DeserializeServer`. Components that
    /// are not the owner's to write are passed over, without any bytes of theirs. Hooks run when all has
    /// been read, and then everything that was written is sent to all the others.
    pub(super) fn handle_entity_state(
        &mut self,
        from: ConnectionId,
        state: &EntityStateMessage<'_>,
    ) -> Result<(), MirrorError> {
        if !self.may_write(from, state.net_id) {
            return Ok(());
        }
        let payload = state.payload.unwrap_or_default();
        self.take_state(from, state.net_id, payload, false)
            .map_err(in_message(EntityStateMessage::NAME))
    }

    /// Takes the whole state of components that travel unreliably.
    pub(super) fn handle_baseline(
        &mut self,
        from: ConnectionId,
        state: &EntityStateMessageUnreliableBaseline<'_>,
    ) -> Result<(), MirrorError> {
        if !self.may_write(from, state.net_id) {
            return Ok(());
        }
        let unreliable = self.unreliable.entry(state.net_id).or_default();
        unreliable.begin(state.baseline_tick);
        let payload = state.payload.unwrap_or_default();
        self.take_state(from, state.net_id, payload, true)
            .map_err(in_message(EntityStateMessageUnreliableBaseline::NAME))
    }

    /// Takes what has changed of them since, unless it is late.
    pub(super) fn handle_delta(
        &mut self,
        from: ConnectionId,
        time: f64,
        state: &EntityStateMessageUnreliableDelta<'_>,
    ) -> Result<(), MirrorError> {
        if !self.may_write(from, state.net_id) {
            return Ok(());
        }
        let unreliable = self.unreliable.entry(state.net_id).or_default();
        if !unreliable.accept(state.baseline_tick, time) {
            one_more(&mut self.stats.outdated_states);
            return Ok(());
        }
        let payload = state.payload.unwrap_or_default();
        self.take_state(from, state.net_id, payload, false)
            .map_err(in_message(EntityStateMessageUnreliableDelta::NAME))
    }

    /// Whether a connection is the owner of an object; what it writes otherwise is refused, and told.
    fn may_write(&mut self, from: ConnectionId, object: NetId) -> bool {
        let reason = match self.objects.get(object.0).map(|object| object.owner) {
            None => StateRefusal::UnknownObject,
            Some(owner) if owner != Some(from) => StateRefusal::NotOwner,
            Some(_) => return true,
        };
        self.refuse_state(from, object, reason);
        false
    }

    fn take_state(
        &mut self,
        from: ConnectionId,
        object: NetId,
        payload: &[u8],
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let mut written = Written::default();
        let result = self.read_owner_state(object, payload, initial_state, &mut written);
        self.call_state_hooks(object, written.hooks);
        // What has been read until something was wrong stays.
        self.note_written(object, written.components);
        match &result {
            Ok(()) if written.components == 0 => {}
            Ok(()) => {
                self.events.push_minor(MirrorServerEvent::Written {
                    connection: from,
                    object,
                    components: written.components,
                });
            }
            Err(error) => {
                self.refuse_state(from, object, StateRefusal::Malformed(error.clone()));
            }
        }
        result
    }

    fn refuse_state(&mut self, connection: ConnectionId, object: NetId, reason: StateRefusal) {
        one_more(&mut self.stats.refused_states);
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
        payload: &[u8],
        initial_state: bool,
        written: &mut Written,
    ) -> Result<(), ReadError> {
        let Some(object) = self.objects.get_mut(id.0) else {
            return Ok(());
        };
        let (Some(entry), Some(behaviours)) =
            (self.prefabs.get(object.prefab), object.behaviours.as_mut())
        else {
            return Ok(());
        };
        let slots = behaviours.slots_mut();
        let mut reader = NetworkReader::with_encoding(payload, Encoding::Mirror)
            .with_max_elements(self.config.max_elements)
            .relaying();
        let mut rest = reader.read_var_u64()? & entry.client_to_server;
        while rest != 0 {
            let (index, bit) = (rest.trailing_zeros(), rest & rest.wrapping_neg());
            rest &= !bit;
            let index = usize::try_from(index).unwrap_or_default();
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            let safety = reader.read_u8()?;
            let before = reader.remaining();
            // Also of one that cannot be read to its end something may be different.
            written.components |= bit;
            written
                .hooks
                .push((index, slot.read_mirror(&mut reader, initial_state)?));
            let read = before.saturating_sub(reader.remaining());
            if !read.to_le_bytes().starts_with(&[safety]) {
                return Err(reader.error(ReadErrorKind::Custom(OTHER_LENGTH)));
            }
        }
        Ok(())
    }

    /// Calls the hooks of an object that has been written to.
    fn call_state_hooks(&mut self, id: NetId, hooks: Vec<(usize, MirrorHooks)>) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let (observed, promised) = (object.audience != Audiences::NOBODY, object.promised);
        let Some(behaviours) = object.behaviours.as_mut() else {
            return;
        };
        let slots = behaviours.slots_mut();
        for (index, hooks) in hooks {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            slot.begin_change();
            let called = slot.call_mirror_hooks(hooks);
            // A hook may have put something into the place of a collection.
            slot.end_change();
            slot.set_verbatim(true, promised);
            if !observed {
                slot.set_observed(false);
            }
            if let Err(Panicked(message)) = called {
                let behaviour = slot.info().schema.name;
                tracing::error!(object = %id, behaviour, message, "a hook panicked");
                self.events.push(MirrorServerEvent::HookFailed {
                    object: id,
                    behaviour,
                    message,
                });
            }
        }
    }

    /// What has been written goes to all the others, and all of it: Mirror marks every field dirty.
    fn note_written(&mut self, id: NetId, written: u64) {
        if let Some(object) = self.objects.get_mut(id.0)
            && written != 0
        {
            object.everything_dirty |= written;
            self.queue_dirty(id);
        }
    }
}
