//! Scene objects: the application makes them itself, and they wait until the server spawns them.

use std::any::TypeId;
use std::collections::BTreeMap;

use super::{ClientEvent, NetworkClient, SpawnFailure};
use crate::LifecycleCallback;
use crate::object::{BehaviourSet, Behaviours, Location};
use crate::{NetId, NetworkSceneId, SpawnError};

/// Scene objects that are not spawned.
#[derive(Debug, Default)]
pub(super) struct Scene {
    dormant: BTreeMap<NetworkSceneId, Behaviours>,
}

impl NetworkClient {
    /// Adds an object that both sides have made themselves, from a level file say. It is dormant, and
    /// not among the [`identities`](Self::identities), until the server spawns the object with this scene
    /// id ([`NetworkServer::spawn_scene_object`](crate::NetworkServer::spawn_scene_object)): then the
    /// state is applied to these behaviours, and it is announced as any object. Members that do not
    /// travel keep what they are.
    ///
    /// It may be added at any time. If the server has spawned it before, which was
    /// [`ClientEvent::SpawnFailed`] then, the server is asked for it again.
    ///
    /// When the server despawns or hides it, or with the next connection, it is dormant again, with the
    /// values that it has by then; its next spawn brings all of them again.
    ///
    /// ```
    /// # use syncvar::*;
    /// # #[derive(Default)] struct Door { open: SyncVar<bool>, key: u8 }
    /// # impl NetworkBehaviour for Door {
    /// #     type Previous = ();
    /// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Door", base: None, fields: &[] };
    /// #     fn sync_var_dirty_bits(&self) -> u64 { self.open.is_dirty().into() }
    /// #     fn set_dirty_bit(&mut self, _: u64) { self.open.set_dirty(); }
    /// #     fn clear_all_dirty_bits(&mut self) { self.open.clear_dirty(); }
    /// #     fn on_serialize(&mut self, writer: &mut NetworkWriter, _: bool) -> bool { writer.write(&*self.open); true }
    /// #     fn on_deserialize(&mut self, reader: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
    /// #         self.open = reader.read::<bool>()?.into(); Ok(())
    /// #     }
    /// # }
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
    /// When no prefab is registered with these behaviours, or when the scene id is 0 or has been added.
    pub fn add_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: NetworkSceneId,
        behaviours: S,
    ) -> Result<(), SpawnError> {
        let behaviours = behaviours.into_behaviours();
        self.prefabs.find(&behaviours, None)?;
        let is_taken = self.is_awake(scene_id) || self.dormant(scene_id).is_some();
        if is_taken || scene_id == NetworkSceneId(0) {
            return Err(SpawnError::SceneIdTaken(scene_id));
        }
        self.scene.dormant.insert(scene_id, behaviours);
        if let Some(missed) = self.relations.scene_object(scene_id)
            && self.is_connected()
        {
            self.ask_for(missed);
        }
        Ok(())
    }

    /// Takes a dormant scene object back. `None` if there is none: one that is spawned belongs to the
    /// server until that despawns or hides it.
    pub fn remove_scene_object(&mut self, scene_id: NetworkSceneId) -> Option<Behaviours> {
        self.scene.dormant.remove(&scene_id)
    }

    /// A scene object that is not spawned.
    pub fn dormant(&self, scene_id: NetworkSceneId) -> Option<&Behaviours> {
        self.scene.dormant.get(&scene_id)
    }

    /// A scene object that is not spawned, for writing.
    pub fn dormant_mut(&mut self, scene_id: NetworkSceneId) -> Option<&mut Behaviours> {
        self.scene.dormant.get_mut(&scene_id)
    }

    /// The scene objects that are not spawned, by ascending scene id.
    pub fn dormant_scene_ids(&self) -> impl Iterator<Item = NetworkSceneId> {
        self.scene.dormant.keys().copied()
    }

    /// The object that is spawned under a scene id.
    pub fn scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        let object = self.relations.scene_object(scene_id);
        object.filter(|object| self.identity(*object).is_some())
    }

    /// All scene objects that are spawned, by ascending scene id.
    pub fn scene_objects(&self) -> impl Iterator<Item = (NetworkSceneId, NetId)> {
        let objects = self.relations.scene_objects();
        objects.filter(|(_, object)| self.identity(*object).is_some())
    }

    /// Whether an object has a scene id, announced or not.
    fn is_awake(&self, scene_id: NetworkSceneId) -> bool {
        let object = self.relations.scene_object(scene_id);
        object.is_some_and(|object| self.objects.get(object.0).is_some())
    }

    /// Finds the behaviours for an object of the server: the position of its prefab, and the behaviours.
    /// `prefab` is what the server says about the former, if it says anything.
    pub(super) fn wake(
        &mut self,
        object: NetId,
        scene_id: NetworkSceneId,
        prefab: Option<u32>,
    ) -> Result<(u32, Behaviours), SpawnFailure> {
        let Some(dormant) = self.scene.dormant.get(&scene_id) else {
            self.miss(object, scene_id);
            return Err(SpawnFailure::UnknownSceneObject { scene_id });
        };
        let types = types(dormant);
        let prefab = match prefab {
            Some(index) => self
                .prefabs
                .get(index)
                .filter(|prefab| prefab.types == types),
            None => self.prefabs.by_types(&types),
        };
        let Some(index) = prefab.map(|prefab| prefab.index) else {
            self.miss(object, scene_id);
            return Err(SpawnFailure::OtherBehaviours { scene_id });
        };
        let behaviours = self.scene.dormant.remove(&scene_id);
        let behaviours = behaviours.ok_or(SpawnFailure::UnknownSceneObject { scene_id })?;
        self.relations.set_scene_id(object, scene_id);
        Ok((index, behaviours))
    }

    /// What has a scene id from before the burst under way, and has not come again, is gone: the server
    /// has given the scene id to another object.
    pub(super) fn make_way(&mut self, scene_id: NetworkSceneId) {
        let former = self.relations.scene_object(scene_id);
        let former = former.filter(|_| self.joining);
        let Some(former) = former else {
            return;
        };
        let replica = self.objects.get(former.0);
        if replica.is_some_and(|replica| !replica.fresh) {
            self.forget(former, true);
        }
    }

    /// Remembers that the server has a scene object that is not here, unless an object is in its place.
    fn miss(&mut self, object: NetId, scene_id: NetworkSceneId) {
        let room = self.relations.scene_count() < self.config.max_objects;
        if room && !self.is_awake(scene_id) {
            self.relations.set_scene_id(object, scene_id);
        }
    }

    /// Everything comes again: so will what is missed.
    pub(super) fn forget_missed(&mut self) {
        let objects = &self.objects;
        self.relations
            .retain_scene_ids(|object| objects.get(object.0).is_some());
    }

    /// The behaviours of an object that is gone: those of a scene object are dormant again.
    pub(super) fn put_to_sleep(&mut self, at: Location, scene_id: NetworkSceneId) {
        // Those that are lent are not there; they come by `sleep`.
        if let Some(behaviours) = self.pools.withdraw(at) {
            self.sleep(scene_id, behaviours);
        }
    }

    pub(super) fn sleep(&mut self, scene_id: NetworkSceneId, mut behaviours: Behaviours) {
        behaviours
            .slots_mut()
            .for_each_mut(|slot| slot.skip_hooks());
        self.scene.dormant.entry(scene_id).or_insert(behaviours);
    }

    /// All scene objects that the server has for this client are spawned.
    pub(super) fn scene_objects_spawned(&mut self) {
        if !self.scene.dormant.is_empty() || self.relations.scene_count() > 0 {
            let spawned: Vec<NetId> = self.scene_objects().map(|(_, object)| object).collect();
            self.call_lifecycle(&spawned, LifecycleCallback::InSceneObjectsSpawned);
            self.events.push(ClientEvent::SceneObjectsSpawned);
        }
    }
}

fn types(behaviours: &Behaviours) -> Vec<TypeId> {
    behaviours.slots().type_ids()
}
