//! Objects of the client: their entries, prefabs and order.

pub(crate) mod components;
pub(crate) mod entry;
pub(crate) mod guard;
pub(crate) mod order;

use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{Behaviours, NetId, OperationLog};

use super::scenes::{MadeBehaviours, Scenes};
use super::stats::MirrorClientStats;
use crate::frames::FrameObjects;
use crate::message::SpawnMessage;
use crate::prefabs::PrefabEntry;
use crate::{MirrorPrefabs, SceneId};
use components::{clear_changes, has_bit};
use entry::{Replica, SpawnStage};
use order::SpawnOrder;

/// World, prefabs, and the order of the spawns.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) world: World<Box<Replica>>,
    pub(crate) prefabs: MirrorPrefabs,
    pub(crate) order: SpawnOrder,
    /// Objects with work in each frame.
    pub(crate) frames: FrameObjects,
}

impl Objects {
    pub(crate) fn new(mut prefabs: MirrorPrefabs, tick_rate: u32) -> Self {
        Self {
            world: World::new(prefabs.take_core()),
            prefabs,
            order: SpawnOrder::default(),
            frames: FrameObjects::new(tick_rate),
        }
    }

    pub(crate) fn get(&self, id: NetId) -> Option<&Replica> {
        self.world.objects.get(id.0).map(|object| &**object)
    }

    pub(crate) fn get_mut(&mut self, id: NetId) -> Option<&mut Replica> {
        self.world.objects.get_mut(id.0).map(|object| &mut **object)
    }

    /// Returns Mirror's settings of an object's prefab.
    pub(crate) fn entry(&self, id: NetId) -> Option<&PrefabEntry> {
        self.prefabs.get(self.get(id)?.prefab)
    }

    /// Returns the bits of the components that this client writes.
    pub(crate) fn written_components(&self, id: NetId) -> u64 {
        let object = self.get(id).filter(|object| object.role.owner);
        let prefab = object.and_then(|object| self.prefabs.get(object.prefab));
        prefab.map_or(0, |prefab| prefab.client_to_server)
    }

    /// Returns whether an object is spawned.
    pub(crate) fn is_spawned(&self, id: NetId) -> bool {
        let object = self.get(id);
        object.is_some_and(|object| object.stage == SpawnStage::Spawned)
    }

    /// Makes an object visible.
    pub(crate) fn reveal(&mut self, id: NetId) {
        if let Some(object) = self.get_mut(id) {
            object.stage = object.stage.max(SpawnStage::Known);
        }
    }

    /// Returns a spawned object; counts an unknown object and logs a warning.
    pub(crate) fn spawned(
        &mut self,
        id: NetId,
        stats: &mut MirrorClientStats,
    ) -> Option<&mut Replica> {
        let object = self.spawned_quietly(id, stats);
        if object.is_none() {
            tracing::warn!(object = %id, "message for an unknown object");
        }
        object
    }

    /// Returns a spawned object; counts an unknown object without a warning, because unreliable messages
    /// may arrive before a spawn and after a despawn.
    pub(crate) fn spawned_quietly(
        &mut self,
        id: NetId,
        stats: &mut MirrorClientStats,
    ) -> Option<&mut Replica> {
        let object = self.get_mut(id);
        let object = object.filter(|object| object.stage == SpawnStage::Spawned);
        if object.is_none() {
            stats.unknown_objects = stats.unknown_objects.wrapping_add(1);
        }
        object
    }

    /// Inserts the object of a spawn message.
    pub(crate) fn insert(
        &mut self,
        message: &SpawnMessage<'_>,
        made: MadeBehaviours,
        scenes: &mut Scenes,
    ) {
        let MadeBehaviours {
            prefab,
            mut behaviours,
        } = made;
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
            scenes.set_active(scene_id, id);
        }
        let mut object = Replica::new(self.world.pools.insert(id, prefab, behaviours), prefab);
        object.serial = self.order.insert(id);
        object.scene_id = scene_id;
        object.scale = message.scale;
        self.world.objects.insert(id.0, Box::new(object));
        if let Some(entry) = self.prefabs.get(prefab) {
            self.frames.add(id, entry);
        }
    }

    /// Sets the ownership of an object, without callbacks. Returns whether that is a change.
    pub(crate) fn set_owned(&mut self, id: NetId, owned: bool) -> bool {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return false;
        };
        if std::mem::replace(&mut object.role.owner, owned) == owned {
            return false;
        }
        let prefab = self.prefabs.get(object.prefab);
        let written = prefab.map_or(0, |prefab| prefab.client_to_server);
        let slots = self.world.pools.slots_mut(object.at);
        let Some(slots) = slots.filter(|_| written != 0) else {
            return false;
        };
        for index in (0..slots.len()).filter(|index| has_bit(written, *index)) {
            if let Some(slot) = slots.slot_mut(index) {
                // Collections record operations while this client owns the object.
                slot.set_observed(owned);
                clear_changes(slot);
            }
        }
        true
    }

    /// Removes an object. Returns its entry, and the behaviours of a scene object, which outlive the object.
    pub(crate) fn remove(&mut self, id: NetId) -> Option<(Box<Replica>, Option<Behaviours>)> {
        let at = self.get(id)?.at;
        let behaviours = self.world.pools.withdraw(at);
        let object = self.world.remove(id)?;
        self.order.remove(id);
        self.frames.objects.remove(&id);
        Some((object, behaviours))
    }
}
