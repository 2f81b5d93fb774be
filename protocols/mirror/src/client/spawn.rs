//! Objects of the server: at once, or in a burst of which nothing is applied before it is complete.

use bytes::Bytes;
use syncvar_runtime::lend::Leaving;
use syncvar_runtime::relations::Place;
use syncvar_runtime::{Behaviours, LifecycleCallback, NetId, Vector3};

use super::guard::{clean, has_bit};
use super::object::{Object, Stage};
use super::write::Sent;
use super::{MirrorClient, MirrorClientEvent, MirrorSpawnFailure};
use crate::message::{
    ChangeOwnerMessage, EntityStateMessage, EntityStateMessageUnreliableBaseline,
    EntityStateMessageUnreliableDelta, NetworkMessage, SpawnFlags, SpawnMessage,
};
use crate::unreliable::Unreliable;
use crate::{MirrorError, SceneId};

/// What is kept of a parked object besides its payload, about, in bytes.
const PARKED: usize = 128;

/// The burst of objects under way.
#[derive(Debug, Default)]
pub(super) struct Burst {
    /// Whether objects are applied as they come.
    finished: bool,
    /// Whether a burst has been complete.
    synchronized: bool,
    /// Those that wait, in the order in which they came.
    parked: Vec<Parked>,
    bytes: usize,
}

/// What a spawn message says of an object, once that is there.
#[derive(Debug)]
struct Parked {
    id: NetId,
    /// Of the object that it is about.
    serial: u64,
    flags: SpawnFlags,
    place: Place,
    scale: Vector3,
    payload: Bytes,
}

impl MirrorClient {
    /// A burst begins.
    pub(super) fn handle_spawn_started(&mut self) {
        self.burst.finished = false;
    }

    /// A burst is complete: its objects get their state, one after another.
    pub(super) fn handle_spawn_finished(&mut self) -> Result<(), MirrorError> {
        self.burst.finished = true;
        self.burst.bytes = 0;
        let parked = std::mem::take(&mut self.burst.parked);
        self.events.reserve(parked.len());
        for Parked { id, .. } in &parked {
            self.make_known(*id);
        }
        let session = self.session;
        for parked in parked {
            self.apply_spawn(&parked)?;
            if self.session != session {
                return Ok(());
            }
        }
        if !std::mem::replace(&mut self.burst.synchronized, true) {
            self.tell_all(LifecycleCallback::SessionSynchronized);
        }
        if self.session == session {
            self.events.push(MirrorClientEvent::Synchronized);
        }
        Ok(())
    }

    /// An object of the server: a new one, or one that is there already.
    pub(super) fn handle_spawn(
        &mut self,
        time: f64,
        message: &SpawnMessage<'_>,
    ) -> Result<(), MirrorError> {
        let id = message.net_id;
        if self.objects.get(id.0).is_none() {
            let limit = self.config.max_objects;
            if self.objects.len() >= limit {
                let what = "objects";
                return Err(MirrorError::TooMuch { what, limit });
            }
            match self.find_behaviours(message) {
                Ok((prefab, behaviours)) => self.add_object(message, prefab, behaviours),
                Err(reason) => {
                    self.refuse_spawn(message, reason);
                    return Ok(());
                }
            }
        }
        if let Some(object) = self.objects.get_mut(id.0) {
            object.unreliable.show(time);
        }
        let payload = message.payload.unwrap_or_default();
        let parked = Parked {
            id,
            serial: self.objects.get(id.0).map_or(0, |object| object.serial),
            flags: message.flags,
            place: Place {
                position: message.position,
                rotation: message.rotation,
            },
            scale: message.scale,
            payload: Bytes::copy_from_slice(payload),
        };
        if self.burst.finished {
            self.make_known(id);
            return self.apply_spawn(&parked);
        }
        let limit = self.config.max_parked_bytes;
        self.burst.bytes = { self.burst.bytes }
            .saturating_add(payload.len())
            .saturating_add(PARKED);
        if self.burst.bytes > limit {
            let what = "bytes of objects that wait for the end of a burst";
            return Err(MirrorError::TooMuch { what, limit });
        }
        self.burst.parked.push(parked);
        Ok(())
    }

    /// Others can see an object from now on.
    fn make_known(&mut self, id: NetId) {
        if let Some(object) = self.objects.get_mut(id.0) {
            object.stage = object.stage.max(Stage::Known);
        }
    }

    fn refuse_spawn(&mut self, message: &SpawnMessage<'_>, reason: MirrorSpawnFailure) {
        let (object, asset_id, scene_id) = (message.net_id, message.asset_id, message.scene_id);
        tracing::error!(%object, %asset_id, %scene_id, %reason, "an object cannot be made");
        self.events.push(MirrorClientEvent::SpawnFailed {
            object,
            asset_id,
            scene_id,
            reason,
        });
    }

    /// The behaviours for an object, and the position of their prefab.
    fn find_behaviours(
        &mut self,
        message: &SpawnMessage<'_>,
    ) -> Result<(u32, Behaviours), MirrorSpawnFailure> {
        if message.scene_id != SceneId::NONE {
            let woken = self.scene.wake(message.scene_id);
            return woken.ok_or(MirrorSpawnFailure::UnknownSceneObject);
        }
        let prefab = self.prefabs.by_asset_id(message.asset_id);
        let made = prefab.map(|prefab| (prefab.index, prefab.make()));
        made.ok_or(MirrorSpawnFailure::UnknownPrefab)
    }

    fn add_object(&mut self, message: &SpawnMessage<'_>, prefab: u32, mut behaviours: Behaviours) {
        let written = { self.prefabs.get(prefab) }.map_or(0, |prefab| prefab.client_to_server);
        let slots = behaviours.slots_mut();
        for index in 0..slots.len() {
            if let Some(slot) = slots.slot_mut(index) {
                clean(slot);
                slot.set_verbatim(has_bit(written, index), 0);
            }
        }
        let id = message.net_id;
        let scene_id = Some(message.scene_id).filter(|scene_id| *scene_id != SceneId::NONE);
        if let Some(scene_id) = scene_id {
            self.scene.note_awake(scene_id, id);
        }
        self.made = self.made.wrapping_add(1);
        let object = Object {
            behaviours: Some(behaviours),
            serial: self.made,
            prefab,
            stage: Stage::Parked,
            owned: false,
            is_player: false,
            told_owned: false,
            told_player: false,
            scene_id,
            place: Place::default(),
            scale: message.scale,
            unreliable: Unreliable::default(),
            sent: Sent::default(),
        };
        self.objects.insert(id.0, Box::new(object));
        self.order.insert(id);
    }

    /// Gives an object what its spawn message says.
    fn apply_spawn(&mut self, spawn: &Parked) -> Result<(), MirrorError> {
        let object = self.objects.get_mut(spawn.id.0);
        let Some(object) = object.filter(|object| object.serial == spawn.serial) else {
            // It has gone before the burst was complete.
            return Ok(());
        };
        (object.place, object.scale) = (spawn.place, spawn.scale);
        if spawn.flags.contains(SpawnFlags::IS_LOCAL_PLAYER) {
            object.is_player = true;
            self.set_player(Some(spawn.id));
        }
        self.set_owned(spawn.id, spawn.flags.contains(SpawnFlags::IS_OWNER));
        if !spawn.payload.is_empty() {
            let payload = (SpawnMessage::NAME, &spawn.payload[..]);
            self.read_payload(spawn.id, payload, true)?;
        }
        self.announce(spawn.id);
        Ok(())
    }

    /// Whether this client owns an object from now on; nobody is told yet.
    fn set_owned(&mut self, id: NetId, owned: bool) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        if std::mem::replace(&mut object.owned, owned) == owned {
            return;
        }
        let prefab = self.prefabs.get(object.prefab);
        let written = prefab.map_or(0, |prefab| prefab.client_to_server);
        let Some(behaviours) = object.behaviours.as_mut().filter(|_| written != 0) else {
            return;
        };
        let slots = behaviours.slots_mut();
        for index in (0..slots.len()).filter(|index| has_bit(written, *index)) {
            if let Some(slot) = slots.slot_mut(index) {
                // Collections remember what is done to them from now on, or no longer.
                slot.set_observed(owned);
                clean(slot);
            }
        }
        self.writing.remove(&id);
    }

    /// An object is this client's, or its player, or is no longer.
    pub(super) fn handle_change_owner(&mut self, message: ChangeOwnerMessage) {
        let (id, flags) = (message.net_id, message.flags);
        let Some(object) = self.spawned(id) else {
            return;
        };
        let is_player = flags.contains(SpawnFlags::IS_LOCAL_PLAYER);
        if std::mem::replace(&mut object.is_player, is_player) && !is_player {
            self.tell_no_player(id);
        }
        self.set_owned(id, flags.contains(SpawnFlags::IS_OWNER));
        self.tell_ownership(id);
        if is_player {
            self.set_player(Some(id));
            self.tell_player(id);
        } else if self.local_player == Some(id) {
            self.set_player(None);
        }
    }

    /// An object is gone, or out of sight.
    pub(super) fn handle_gone(&mut self, id: NetId, leaving: Leaving) {
        self.forget(id, leaving);
    }

    /// Fields of an object have changed.
    pub(super) fn handle_state(
        &mut self,
        message: &EntityStateMessage<'_>,
    ) -> Result<(), MirrorError> {
        if self.spawned(message.net_id).is_none() {
            return Ok(());
        }
        let payload = (
            EntityStateMessage::NAME,
            message.payload.unwrap_or_default(),
        );
        self.read_payload(message.net_id, payload, false)
    }

    /// The whole state of components that travel unreliably.
    pub(super) fn handle_baseline(
        &mut self,
        message: &EntityStateMessageUnreliableBaseline<'_>,
    ) -> Result<(), MirrorError> {
        let Some(object) = self.observed(message.net_id) else {
            return Ok(());
        };
        object.unreliable.begin(message.baseline_tick);
        let payload = message.payload.unwrap_or_default();
        let payload = (EntityStateMessageUnreliableBaseline::NAME, payload);
        self.read_payload(message.net_id, payload, true)
    }

    /// What has changed of such components, if it is about the state that this client has and news.
    pub(super) fn handle_delta(
        &mut self,
        time: f64,
        message: &EntityStateMessageUnreliableDelta<'_>,
    ) -> Result<(), MirrorError> {
        let Some(object) = self.observed(message.net_id) else {
            return Ok(());
        };
        if !object.unreliable.accept(message.baseline_tick, time) {
            self.stats.outdated = self.stats.outdated.wrapping_add(1);
            return Ok(());
        }
        let payload = message.payload.unwrap_or_default();
        let payload = (EntityStateMessageUnreliableDelta::NAME, payload);
        self.read_payload(message.net_id, payload, false)
    }

    /// An object that has been spawned; one that has not is counted.
    pub(super) fn spawned(&mut self, id: NetId) -> Option<&mut Object> {
        let object = self.observed(id);
        if object.is_none() {
            tracing::warn!(object = %id, "a message for an object that is not there");
        }
        object
    }

    /// The same where it is usual that there is none: what travels unreliably comes before an object is
    /// there and after it has gone.
    fn observed(&mut self, id: NetId) -> Option<&mut Object> {
        let object = self.objects.get_mut(id.0).map(|object| &mut **object);
        let object = object.filter(|object| object.stage == Stage::Spawned);
        if object.is_none() {
            self.stats.unknown_objects = self.stats.unknown_objects.wrapping_add(1);
        }
        object
    }
}
