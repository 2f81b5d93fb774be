//! Scene objects: made by the application, dormant until the server spawns them.

use std::any::TypeId;

use super::{Fact, Objects};
use crate::client::SpawnFailure;
use syncvar_runtime::Behaviours;
use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::unstable::object::Location;
use syncvar_runtime::unstable::ordered::IdMap;
use syncvar_runtime::{NetId, NetworkSceneId};

/// Dormant (not spawned) scene objects.
pub(crate) type DormantObjects = IdMap<NetworkSceneId, Behaviours>;

impl Objects {
    /// Returns whether an object with this scene id exists, visible or not.
    pub(crate) fn is_active(&self, scene_id: NetworkSceneId) -> bool {
        let object = self.world.relations.scene_object(scene_id);
        object.is_some_and(|object| self.world.contains(object))
    }

    /// Returns the spawned scene objects with their scene ids, ascending; `None` for a client without any scene object.
    pub(crate) fn spawned_scene_objects(&self) -> Option<Vec<NetId>> {
        if self.scene.is_empty() && self.world.relations.scene_count() == 0 {
            return None;
        }
        let objects = self.world.relations.scene_objects();
        let objects = objects.map(|(_, object)| object);
        Some(
            objects
                .filter(|object| self.world.identity(*object).is_some())
                .collect(),
        )
    }

    /// Takes the dormant behaviours for an object of the server. Returns their prefab's position and
    /// the behaviours. `prefab` is the position that the server has sent; `Unet` sends none. Up to `max_objects`
    /// scene ids are recorded without behaviours.
    pub(crate) fn activate(
        &mut self,
        object: NetId,
        scene_id: NetworkSceneId,
        prefab: Option<u32>,
        max_objects: usize,
    ) -> Result<(u32, Behaviours), SpawnFailure> {
        let Some(dormant) = self.scene.get(scene_id) else {
            self.miss(object, scene_id, max_objects);
            return Err(SpawnFailure::UnknownSceneObject { scene_id });
        };
        let (types, prefabs) = (types(dormant), &self.world.prefabs);
        let prefab = match prefab {
            Some(index) => prefabs.get(index).filter(|prefab| prefab.types == types),
            None => prefabs.by_types(&types),
        };
        let Some(index) = prefab.map(|prefab| prefab.index) else {
            self.miss(object, scene_id, max_objects);
            return Err(SpawnFailure::OtherBehaviours { scene_id });
        };
        let behaviours = self.scene.remove(scene_id);
        let behaviours = behaviours.ok_or(SpawnFailure::UnknownSceneObject { scene_id })?;
        self.world.relations.set_scene_id(object, scene_id);
        Ok((index, behaviours))
    }

    /// Returns the object with a scene id that the current burst has not contained: the server has given the scene id
    /// to a new object.
    pub(crate) fn outdated_scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        let previous = self.world.relations.scene_object(scene_id)?;
        let replica = self.world.objects.get(previous.0)?;
        (!replica.is(Fact::Refreshed)).then_some(previous)
    }

    /// Records a scene object of the server that this client cannot make, unless its scene id is in use.
    fn miss(&mut self, object: NetId, scene_id: NetworkSceneId, max_objects: usize) {
        let room = self.world.relations.scene_count() < max_objects;
        if room && !self.is_active(scene_id) {
            self.world.relations.set_scene_id(object, scene_id);
        }
    }

    /// Forgets the missed scene objects: a burst or a new connection sends them again.
    pub(crate) fn forget_missed(&mut self) {
        let objects = &self.world.objects;
        let relations = &mut self.world.relations;
        relations.retain_scene_ids(|object| objects.get(object.0).is_some());
    }

    /// Makes the behaviours of a removed scene object dormant.
    pub(super) fn deactivate(&mut self, at: Location, scene_id: NetworkSceneId) {
        let prefab = self.world.prefabs.get(self.world.pools.prefab(at.pool));
        if let Some(mut behaviours) = self.world.pools.withdraw(at) {
            let slots = behaviours.slots_mut();
            if let Some(prefab) = prefab {
                // This client may read them no more when the server activates the object again.
                let private = |policy: &PolicyBits| policy.owner_only | policy.group;
                slots.reset_fields(
                    NetId::NONE,
                    |_, slot| private(slot.policy()),
                    || prefab.make(),
                );
            }
            slots.for_each_mut(|slot| slot.skip_hooks());
            self.scene.get_or_insert_with(scene_id, || behaviours);
        }
    }
}

fn types(behaviours: &Behaviours) -> Vec<TypeId> {
    behaviours.slots().type_ids()
}
