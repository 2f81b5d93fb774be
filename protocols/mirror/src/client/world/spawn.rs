//! Spawns: applied at once, or at the end of a burst.

use bytes::Bytes;
use syncvar_runtime::relations::Place;
use syncvar_runtime::world::Departure;
use syncvar_runtime::{Behaviours, LifecycleCallback, NetId, OperationLog, Vector3};

use crate::client::world::guard::{clear_changes, has_bit};
use crate::client::world::object::{Replica, Role, Stage};
use crate::client::world::write::BaselineState;
use crate::client::{MirrorClient, MirrorClientEvent, MirrorSpawnFailure};
use crate::message::{
    ChangeOwnerMessage, EntityStateMessage, EntityStateMessageUnreliableBaseline,
    EntityStateMessageUnreliableDelta, NetworkMessage, SpawnFlags, SpawnMessage,
};
use crate::unreliable::Unreliable;
use crate::{MirrorError, SceneId};

/// Approximate bytes of a pending spawn besides its payload.
const SPAWN_OVERHEAD: usize = 128;

/// The current burst.
#[derive(Debug, Default)]
pub(in crate::client) struct Burst {
    /// Spawns are applied at once.
    is_complete: bool,
    /// One burst was complete.
    synchronized: bool,
    /// Spawns of the burst, in the order of their messages.
    pending: Vec<PendingSpawn>,
    bytes: usize,
}

/// A spawn message before its application.
#[derive(Debug)]
struct PendingSpawn {
    id: NetId,
    /// Serial number of its object.
    serial: u64,
    flags: SpawnFlags,
    place: Place,
    scale: Vector3,
    payload: Bytes,
}

impl MirrorClient {
    /// Begins a burst.
    pub(in crate::client) fn handle_spawn_started(&mut self) {
        self.inbound.burst.is_complete = false;
    }

    /// Completes a burst: applies its spawns one by one.
    pub(in crate::client) fn handle_spawn_finished(&mut self) -> Result<(), MirrorError> {
        self.inbound.burst.is_complete = true;
        self.inbound.burst.bytes = 0;
        let pending = std::mem::take(&mut self.inbound.burst.pending);
        self.events.reserve(pending.len());
        for PendingSpawn { id, .. } in &pending {
            self.reveal(*id);
        }
        let session = self.session.number();
        for pending in pending {
            self.apply_spawn(&pending)?;
            if self.session.number() != session {
                return Ok(());
            }
        }
        if !std::mem::replace(&mut self.inbound.burst.synchronized, true) {
            self.dispatch_to_all(LifecycleCallback::SessionSynchronized);
        }
        if self.session.number() == session {
            self.events.push(MirrorClientEvent::Synchronized);
        }
        Ok(())
    }

    /// Handles the spawn of a new or known object.
    pub(in crate::client) fn handle_spawn(
        &mut self,
        time: f64,
        message: &SpawnMessage<'_>,
    ) -> Result<(), MirrorError> {
        let id = message.net_id;
        if self.world.objects.get(id.0).is_none() {
            let limit = self.config.max_objects;
            if self.world.objects.len() >= limit {
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
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.unreliable.set_snapshot_time(time);
        }
        let payload = message.payload.unwrap_or_default();
        let pending = PendingSpawn {
            id,
            serial: self
                .world
                .objects
                .get(id.0)
                .map_or(0, |object| object.serial),
            flags: message.flags,
            place: Place {
                position: message.position,
                rotation: message.rotation,
            },
            scale: message.scale,
            payload: Bytes::copy_from_slice(payload),
        };
        if self.inbound.burst.is_complete {
            self.reveal(id);
            return self.apply_spawn(&pending);
        }
        let limit = self.config.max_parked_bytes;
        self.inbound.burst.bytes = { self.inbound.burst.bytes }
            .saturating_add(payload.len())
            .saturating_add(SPAWN_OVERHEAD);
        if self.inbound.burst.bytes > limit {
            let what = "bytes of spawns in a burst";
            return Err(MirrorError::TooMuch { what, limit });
        }
        self.inbound.burst.pending.push(pending);
        Ok(())
    }

    fn refuse_spawn(&mut self, message: &SpawnMessage<'_>, reason: MirrorSpawnFailure) {
        let (object, asset_id, scene_id) = (message.net_id, message.asset_id, message.scene_id);
        tracing::error!(%object, %asset_id, %scene_id, %reason, "cannot spawn an object");
        self.events.push(MirrorClientEvent::SpawnFailed {
            object,
            asset_id,
            scene_id,
            reason,
        });
    }

    /// Returns the behaviours for an object, and the position of their prefab.
    fn find_behaviours(
        &mut self,
        message: &SpawnMessage<'_>,
    ) -> Result<(u32, Behaviours), MirrorSpawnFailure> {
        if message.scene_id != SceneId::NONE {
            let activated = self.scene.activate(message.scene_id);
            return activated.ok_or(MirrorSpawnFailure::UnknownSceneObject);
        }
        let prefab = self.prefabs.by_asset_id(message.asset_id);
        let prefab = prefab.and_then(|entry| self.world.prefabs.get(entry.index));
        let made = prefab.map(|prefab| (prefab.index, prefab.make()));
        made.ok_or(MirrorSpawnFailure::UnknownPrefab)
    }

    fn add_object(&mut self, message: &SpawnMessage<'_>, prefab: u32, mut behaviours: Behaviours) {
        let written = { self.prefabs.get(prefab) }.map_or(0, |prefab| prefab.client_to_server);
        let slots = behaviours.slots_mut();
        for index in 0..slots.len() {
            if let Some(slot) = slots.slot_mut(index) {
                clear_changes(slot);
                slot.set_log(if has_bit(written, index) {
                    OperationLog::Full { pending: 0 }
                } else {
                    OperationLog::Coalesced
                });
            }
        }
        let id = message.net_id;
        let scene_id = Some(message.scene_id).filter(|scene_id| *scene_id != SceneId::NONE);
        if let Some(scene_id) = scene_id {
            self.scene.set_active(scene_id, id);
        }
        let object = Replica {
            at: self.world.pools.insert(id, prefab, behaviours),
            serial: self.order.insert(id),
            prefab,
            stage: Stage::Pending,
            role: Role::default(),
            reported: Role::default(),
            scene_id,
            scale: message.scale,
            unreliable: Unreliable::default(),
            baseline: BaselineState::default(),
        };
        self.world.objects.insert(id.0, Box::new(object));
        if let Some(entry) = self.prefabs.get(prefab) {
            self.frames.add(id, entry);
        }
    }

    /// Applies a spawn message to its object.
    fn apply_spawn(&mut self, spawn: &PendingSpawn) -> Result<(), MirrorError> {
        let object = self.world.objects.get_mut(spawn.id.0);
        let Some(object) = object.filter(|object| object.serial == spawn.serial) else {
            // Despawned before the end of the burst.
            return Ok(());
        };
        object.scale = spawn.scale;
        let is_player = spawn.flags.contains(SpawnFlags::IS_LOCAL_PLAYER);
        object.role.player |= is_player;
        self.world.set_place(spawn.id, spawn.place);
        if is_player {
            self.set_player(Some(spawn.id));
        }
        self.set_owned(spawn.id, spawn.flags.contains(SpawnFlags::IS_OWNER));
        if !spawn.payload.is_empty() {
            let payload = (SpawnMessage::NAME, &spawn.payload[..]);
            self.read_payload(spawn.id, payload, true)?;
        }
        self.finish_spawn(spawn.id);
        Ok(())
    }

    /// Sets the ownership of an object, without callbacks.
    fn set_owned(&mut self, id: NetId, owned: bool) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if std::mem::replace(&mut object.role.owner, owned) == owned {
            return;
        }
        let prefab = self.prefabs.get(object.prefab);
        let written = prefab.map_or(0, |prefab| prefab.client_to_server);
        let slots = self.world.pools.slots_mut(object.at);
        let Some(slots) = slots.filter(|_| written != 0) else {
            return;
        };
        for index in (0..slots.len()).filter(|index| has_bit(written, *index)) {
            if let Some(slot) = slots.slot_mut(index) {
                // Collections record operations while this client owns the object.
                slot.set_observed(owned);
                clear_changes(slot);
            }
        }
        self.writes.remove(id);
    }

    /// Handles a change of this client's role for an object.
    pub(in crate::client) fn handle_change_owner(&mut self, message: ChangeOwnerMessage) {
        let (id, flags) = (message.net_id, message.flags);
        let Some(object) = self.spawned(id) else {
            return;
        };
        let is_player = flags.contains(SpawnFlags::IS_LOCAL_PLAYER);
        if std::mem::replace(&mut object.role.player, is_player) && !is_player {
            self.report_player_stop(id);
        }
        self.set_owned(id, flags.contains(SpawnFlags::IS_OWNER));
        self.report_ownership(id);
        if is_player {
            self.set_player(Some(id));
            self.report_player_start(id);
        } else if self.session.local_player == Some(id) {
            self.set_player(None);
        }
    }

    /// Handles a despawn or hide.
    pub(in crate::client) fn handle_gone(&mut self, id: NetId, leaving: Departure) {
        self.despawn(id, leaving);
    }

    /// Handles a reliable delta.
    pub(in crate::client) fn handle_state(
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

    /// Handles a baseline of hybrid components.
    pub(in crate::client) fn handle_baseline(
        &mut self,
        time: f64,
        message: &EntityStateMessageUnreliableBaseline<'_>,
    ) -> Result<(), MirrorError> {
        let Some(object) = self.spawned_quietly(message.net_id) else {
            return Ok(());
        };
        object.unreliable.set_baseline(message.baseline_tick, time);
        let payload = message.payload.unwrap_or_default();
        let payload = (EntityStateMessageUnreliableBaseline::NAME, payload);
        self.read_payload(message.net_id, payload, true)
    }

    /// Handles a delta of hybrid components, unless it is outdated or refers to another baseline.
    pub(in crate::client) fn handle_delta(
        &mut self,
        time: f64,
        message: &EntityStateMessageUnreliableDelta<'_>,
    ) -> Result<(), MirrorError> {
        let Some(object) = self.spawned_quietly(message.net_id) else {
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

    /// Returns a spawned object; counts unknown ones and logs a warning.
    pub(in crate::client) fn spawned(&mut self, id: NetId) -> Option<&mut Replica> {
        let object = self.spawned_quietly(id);
        if object.is_none() {
            tracing::warn!(object = %id, "message for an unknown object");
        }
        object
    }

    /// Returns a spawned object; counts unknown ones without a warning, because unreliable messages
    /// may arrive before a spawn and after a despawn.
    fn spawned_quietly(&mut self, id: NetId) -> Option<&mut Replica> {
        let object = self.world.objects.get_mut(id.0).map(|object| &mut **object);
        let object = object.filter(|object| object.stage == Stage::Spawned);
        if object.is_none() {
            self.stats.unknown_objects = self.stats.unknown_objects.wrapping_add(1);
        }
        object
    }
}
