//! Scene objects: made by the application, dormant until the server spawns them.

use std::any::TypeId;

use super::replica::Fact;
use crate::client::{ClientEvent, NetworkClient, SpawnFailure};
use syncvar_runtime::LifecycleCallback;
use syncvar_runtime::object::{BehaviourSet, Behaviours, Location};
use syncvar_runtime::ordered::IdMap;
use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::world::Departure;
use syncvar_runtime::{NetId, NetworkSceneId, SpawnError};

/// Dormant (not spawned) scene objects.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    dormant: IdMap<NetworkSceneId, Behaviours>,
}

impl NetworkClient {
    /// Adds an object that both sides make on their own, for instance from a level file.
    ///
    /// The object is dormant at first: [`identities`](Self::identities) does not contain it. When the
    /// server spawns the object with this scene id
    /// ([`NetworkServer::spawn_scene_object`](crate::NetworkServer::spawn_scene_object)), the snapshot is
    /// applied to these behaviours, and the object is announced like any other. Members without
    /// synchronization keep their values.
    ///
    /// The call is valid at any time. If the server has spawned the object before, which was reported as
    /// [`ClientEvent::SpawnFailed`], the server is asked for it again.
    ///
    /// After a despawn, a hide or a new connection the object is dormant again and keeps its values. Its
    /// next spawn brings a snapshot.
    ///
    /// ```
    /// use syncvar::NetworkSceneId;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    ///     key: u8,
    /// }
    ///
    /// const GATE: NetworkSceneId = NetworkSceneId(12);
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
    /// // Both sides load the level.
    /// let door = Door { key: 7, ..Door::default() };
    /// net.client_mut(0).add_scene_object(GATE, door).unwrap();
    /// let door = Door { open: true.into(), ..Door::default() };
    /// let id = net.server.spawn_scene_object(GATE, door).unwrap();
    /// net.settle();
    /// let door: &Door = net.client(0).get(id).unwrap();
    /// assert_eq!((*door.open, door.key), (true, 7));
    /// ```
    ///
    /// # Errors
    ///
    /// When no prefab has these behaviours, and when the scene id is 0 or in use.
    pub fn add_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: NetworkSceneId,
        behaviours: S,
    ) -> Result<(), SpawnError> {
        let behaviours = behaviours.into_behaviours();
        self.objects.world.prefabs.find(&behaviours, None)?;
        let is_taken = self.is_active(scene_id) || self.dormant(scene_id).is_some();
        if is_taken || scene_id == NetworkSceneId(0) {
            return Err(SpawnError::SceneIdTaken(scene_id));
        }
        self.objects.scene.dormant.insert(scene_id, behaviours);
        if let Some(missed) = self.objects.world.relations.scene_object(scene_id)
            && self.is_connected()
        {
            self.request_snapshot(missed);
        }
        Ok(())
    }

    /// Removes a dormant scene object and returns it. A spawned one belongs to the server: the result is
    /// `None` until the server despawns or hides it.
    pub fn remove_scene_object(&mut self, scene_id: NetworkSceneId) -> Option<Behaviours> {
        self.objects.scene.dormant.remove(scene_id)
    }

    /// Returns a dormant scene object.
    pub fn dormant(&self, scene_id: NetworkSceneId) -> Option<&Behaviours> {
        self.objects.scene.dormant.get(scene_id)
    }

    /// Returns a dormant scene object for writing.
    pub fn dormant_mut(&mut self, scene_id: NetworkSceneId) -> Option<&mut Behaviours> {
        self.objects.scene.dormant.get_mut(scene_id)
    }

    /// Returns the scene ids of the dormant objects, ascending.
    pub fn dormant_scene_ids(&self) -> impl Iterator<Item = NetworkSceneId> {
        self.objects.scene.dormant.keys()
    }

    /// Returns the spawned object with a scene id.
    pub fn scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        let object = self.objects.world.relations.scene_object(scene_id);
        object.filter(|object| self.identity(*object).is_some())
    }

    /// Returns all spawned scene objects by ascending scene id.
    pub fn scene_objects(&self) -> impl Iterator<Item = (NetworkSceneId, NetId)> {
        let objects = self.objects.world.relations.scene_objects();
        objects.filter(|(_, object)| self.identity(*object).is_some())
    }

    /// Returns whether an object with this scene id exists, visible or not.
    fn is_active(&self, scene_id: NetworkSceneId) -> bool {
        let object = self.objects.world.relations.scene_object(scene_id);
        object.is_some_and(|object| self.objects.world.contains(object))
    }

    /// Takes the dormant behaviours for an object of the server. Returns their prefab's position and
    /// the behaviours. `prefab` is the position that the server has sent; `Unet` sends none.
    pub(crate) fn activate(
        &mut self,
        object: NetId,
        scene_id: NetworkSceneId,
        prefab: Option<u32>,
    ) -> Result<(u32, Behaviours), SpawnFailure> {
        let Some(dormant) = self.objects.scene.dormant.get(scene_id) else {
            self.miss(object, scene_id);
            return Err(SpawnFailure::UnknownSceneObject { scene_id });
        };
        let types = types(dormant);
        let prefab = match prefab {
            Some(index) => self
                .objects
                .world
                .prefabs
                .get(index)
                .filter(|prefab| prefab.types == types),
            None => self.objects.world.prefabs.by_types(&types),
        };
        let Some(index) = prefab.map(|prefab| prefab.index) else {
            self.miss(object, scene_id);
            return Err(SpawnFailure::OtherBehaviours { scene_id });
        };
        let behaviours = self.objects.scene.dormant.remove(scene_id);
        let behaviours = behaviours.ok_or(SpawnFailure::UnknownSceneObject { scene_id })?;
        self.objects.world.relations.set_scene_id(object, scene_id);
        Ok((index, behaviours))
    }

    /// Removes the previous object with a scene id, if the current burst has not contained it: the
    /// server has given the scene id to another object.
    pub(crate) fn evict_previous(&mut self, scene_id: NetworkSceneId) {
        if !self.session.joining {
            return;
        }
        if let Some(previous) = self.objects.world.relations.scene_object(scene_id)
            && let Some(replica) = self.objects.world.objects.get(previous.0)
            && !replica.is(Fact::Refreshed)
        {
            self.forget(previous, Departure::Hidden);
        }
    }

    /// Records a scene object of the server that this client cannot make, unless its scene id is in use.
    fn miss(&mut self, object: NetId, scene_id: NetworkSceneId) {
        let room = self.objects.world.relations.scene_count() < self.context.config.max_objects;
        if room && !self.is_active(scene_id) {
            self.objects.world.relations.set_scene_id(object, scene_id);
        }
    }

    /// Forgets the missed scene objects: a burst or a new connection sends them again.
    pub(crate) fn forget_missed(&mut self) {
        let objects = &self.objects.world.objects;
        self.objects
            .world
            .relations
            .retain_scene_ids(|object| objects.get(object.0).is_some());
    }

    /// Makes the behaviours of a removed scene object dormant.
    pub(crate) fn deactivate(&mut self, at: Location, scene_id: NetworkSceneId) {
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(at.pool));
        if let Some(mut behaviours) = self.objects.world.pools.withdraw(at) {
            let slots = behaviours.slots_mut();
            if let Some(prefab) = prefab {
                // This client may read them no more when the server activates the object again.
                let private = |policy: &PolicyBits| policy.owner_only | policy.group;
                slots.reset_fields(NetId::NONE, private, || prefab.make());
            }
            slots.for_each_mut(|slot| slot.skip_hooks());
            self.objects
                .scene
                .dormant
                .get_or_insert_with(scene_id, || behaviours);
        }
    }

    /// Reports that all scene objects for this client are spawned.
    pub(crate) fn report_scene_objects_spawned(&mut self) {
        if !self.objects.scene.dormant.is_empty() || self.objects.world.relations.scene_count() > 0
        {
            let spawned: Vec<NetId> = self.scene_objects().map(|(_, object)| object).collect();
            self.call_lifecycle(&spawned, LifecycleCallback::InSceneObjectsSpawned);
            self.context.events.push(ClientEvent::SceneObjectsSpawned);
        }
    }
}

fn types(behaviours: &Behaviours) -> Vec<TypeId> {
    behaviours.slots().type_ids()
}
