//! Spawn, despawn and placement of objects.

use syncvar_runtime::prefab::PrefabError;
use syncvar_runtime::relations::Place;
use syncvar_runtime::world::{CheckOut, Departure, LifecycleEvent};
use syncvar_runtime::{
    BehaviourSet, Behaviours, ConnectionId, NetId, NetworkSceneId, ObjectError, OperationLog,
    Quaternion, Vector3,
};

use crate::SceneId;
use crate::message::ObjectDestroyMessage;
use crate::server::MirrorServer;
use crate::server::world::object::{Observed, Visibility};
use crate::server::world::scene::LoadedScene;

/// Options of a spawn.
///
/// ```
/// use syncvar::mirror::{MirrorSpawnOptions, Visibility};
/// use syncvar::values::Vector3;
///
/// let options = MirrorSpawnOptions {
///     position: Vector3::new(0.0, 1.0, 0.0),
///     visibility: Visibility::ForceHidden,
///     ..MirrorSpawnOptions::default()
/// };
/// # assert_eq!(options.scene_id, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MirrorSpawnOptions {
    /// Name of the prefab, if several have the same behaviours; by default the first one registered
    /// with these types.
    pub prefab: Option<String>,
    /// Position.
    pub position: Vector3,
    /// Rotation; identity by default.
    pub rotation: Option<Quaternion>,
    /// Scale; 1 in each direction by default.
    pub scale: Option<Vector3>,
    /// Owner.
    pub owner: Option<ConnectionId>,
    /// Visibility.
    pub visibility: Visibility,
    /// Id of an object in the clients' loaded scene; not 0.
    pub scene_id: Option<SceneId>,
    /// Scene that contains the object on the server, for the interest managements of scenes.
    pub scene: LoadedScene,
}

impl MirrorSpawnOptions {
    /// Sets the owner.
    pub(in crate::server) fn with_owner(self, owner: ConnectionId) -> Self {
        let owner = Some(owner);
        Self { owner, ..self }
    }
}

/// Error of a spawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorSpawnError {
    /// No prefab fits the behaviours.
    #[error(transparent)]
    Prefab(#[from] PrefabError),
    /// The prefab is a scene object, and the options have no scene id.
    #[error("prefab `{0}` is a scene object and needs a scene id: use `spawn_scene_object`")]
    NoSceneId(String),
    /// The scene id is in use, or 0.
    #[error("scene id {:#x} is taken or zero", .0.0)]
    SceneIdTaken(SceneId),
    /// All ids are used.
    #[error("all object ids are used")]
    OutOfIds,
    /// The owner is not connected.
    #[error("{0} is not connected and cannot own anything")]
    UnknownOwner(ConnectionId),
}

/// A checked object before insertion.
pub(in crate::server) struct Prepared {
    id: NetId,
    prefab: u32,
    behaviours: Behaviours,
    options: MirrorSpawnOptions,
}

impl MirrorServer {
    /// Spawns an object and sends it to every ready connection that sees it. The callbacks of its
    /// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) run before that, and may despawn it.
    ///
    /// # Panics
    ///
    /// Panics if no prefab is registered with these behaviours, in this order. For behaviours
    /// chosen at run time, use [`try_spawn`](Self::try_spawn).
    #[track_caller]
    pub fn spawn<S: BehaviourSet>(&mut self, behaviours: S) -> NetId {
        match self.try_spawn(behaviours, MirrorSpawnOptions::default()) {
            Ok(net_id) => net_id,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns an object with options, like [`spawn`](Self::spawn) but without a panic.
    ///
    /// # Errors
    ///
    /// Fails for an invalid prefab, scene id or owner; the server is unchanged then.
    pub fn try_spawn<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<NetId, MirrorSpawnError> {
        let prepared = self.prepare(behaviours, options)?;
        Ok(self.insert_prepared(prepared, |_, _| {}))
    }

    /// Spawns an object of the clients' loaded scene: they receive its state and scene id. Its
    /// prefab is one of [`MirrorPrefab::scene`](crate::MirrorPrefab::scene), or any other.
    ///
    /// # Errors
    ///
    /// As [`try_spawn`](Self::try_spawn).
    pub fn spawn_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: SceneId,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<NetId, MirrorSpawnError> {
        let options = MirrorSpawnOptions {
            scene_id: Some(scene_id),
            ..options
        };
        self.try_spawn(behaviours, options)
    }

    /// Checks an object and reserves its id.
    pub(in crate::server) fn prepare<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<Prepared, MirrorSpawnError> {
        let mut behaviours = behaviours.into_behaviours();
        let name = options.prefab.as_deref();
        let prefab = self.world.prefabs.find(&behaviours, name)?.index;
        if options.scene_id.is_none()
            && let Some(entry) = self.prefabs.get(prefab)
            && entry.asset_id == crate::AssetId::NONE
        {
            return Err(MirrorSpawnError::NoSceneId(entry.name.clone()));
        }
        if let Some(owner) = { options.owner }.filter(|owner| !self.is_connected(*owner)) {
            return Err(MirrorSpawnError::UnknownOwner(owner));
        }
        if let Some(scene_id) = options.scene_id
            && (scene_id == SceneId::NONE || self.scene_objects.contains_key(&scene_id.0))
        {
            return Err(MirrorSpawnError::SceneIdTaken(scene_id));
        }
        behaviours.slots_mut().for_each_mut(|slot| {
            slot.set_log(OperationLog::Full { pending: 0 });
            // Initial contents are part of the spawn, not changes.
            slot.set_observed(false);
        });
        let id = self.world.net_ids.next(|_| false);
        let id = id.ok_or(MirrorSpawnError::OutOfIds)?;
        Ok(Prepared {
            id,
            prefab,
            behaviours,
            options,
        })
    }

    /// Inserts a prepared object. Calls `before` between insertion and the spawn callbacks.
    pub(in crate::server) fn insert_prepared(
        &mut self,
        prepared: Prepared,
        before: impl FnOnce(&mut Self, NetId),
    ) -> NetId {
        let Prepared {
            id,
            prefab,
            behaviours,
            options,
        } = prepared;
        let place = Place {
            position: options.position,
            rotation: options.rotation.unwrap_or(Quaternion::IDENTITY),
        };
        let name = self.world.prefabs.get(prefab).map(|prefab| &*prefab.name);
        tracing::trace!(object = %id, prefab = name, "spawned an object");
        let at = self.world.pools.insert(id, prefab, behaviours);
        let mut object = Observed::new(at, prefab, &options);
        if object.scene_id != SceneId::NONE {
            self.scene_objects.insert(object.scene_id.0, id);
            // Contexts of behaviours carry the lower half.
            let scene_id = NetworkSceneId(object.scene_id.low());
            self.world.relations.set_scene_id(id, scene_id);
        }
        let owner = object.owner.and_then(|it| self.sessions.get_mut(it));
        if let Some(owner) = owner {
            owner.owned.add(id, &mut object);
        }
        self.world.set_place(id, place);
        self.world.objects.insert(id.0, object);
        self.observers
            .interest
            .management
            .handle_spawn(id, place.position);
        before(self, id);
        self.dispatch(id, LifecycleEvent::Spawn);
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.spawned = true;
            if let Some(entry) = self.prefabs.get(prefab) {
                self.replication.frames.add(id, entry);
            }
            self.apply_interest();
            self.rebuild_new(id);
            self.update_observers(id);
        }
        id
    }

    /// Removes an object from the server and from its observers: Mirror's `NetworkServer.Destroy`,
    /// which sends the same as its `UnSpawn`.
    ///
    /// Its [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs
    /// first. A checked-out object is despawned at check-in.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or is despawned at its check-in already.
    pub fn despawn(&mut self, id: NetId) -> Result<(), ObjectError> {
        if self.despawn_if_present(id) {
            Ok(())
        } else {
            Err(ObjectError::NoSuchObject(id))
        }
    }

    /// Despawns an object. Returns whether it existed.
    pub(in crate::server) fn despawn_if_present(&mut self, id: NetId) -> bool {
        if self.world.checked_out.contains(id) {
            return self.world.checked_out.depart(id, Departure::Destroyed);
        }
        if self.world.has_lifecycle(id) {
            self.dispatch(id, LifecycleEvent::Despawn);
            return true;
        }
        self.remove(id)
    }

    /// Removes an object after its despawn callbacks.
    pub(in crate::server) fn remove(&mut self, id: NetId) -> bool {
        let Some(object) = self.world.remove(id) else {
            return false;
        };
        tracing::trace!(object = %id, "despawned an object");
        self.scene_objects.remove(&object.scene_id.0);
        self.observers.remove_object(id, &object);
        self.calls.remove_object(id);
        self.replication.remove_object(id);
        if let Some(profile) = &mut self.stats.profile {
            profile.remove_object(id);
        }
        let owner = object.owner.and_then(|it| self.sessions.get_mut(it));
        if let Some(owner) = owner {
            owner.owned.remove(&object);
            owner.memory.remove(id);
            owner.player = owner.player.filter(|player| *player != id);
        }
        let observers = self.observers.audiences.shared_members(object.audience);
        for connection in observers.iter() {
            self.send_object_message(id, *connection, &ObjectDestroyMessage { net_id: id });
        }
        self.observers.audiences.release(object.audience);
        true
    }

    /// Returns the scale of an object, for future observers.
    pub fn scale(&self, id: NetId) -> Option<Vector3> {
        Some(self.world.objects.get(id.0)?.scale)
    }

    /// Sets the scale of an object, for future observers.
    pub(crate) fn set_scale(&mut self, id: NetId, scale: Vector3) {
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.scale = scale;
        }
    }

    /// Sets the position and rotation of an object, for future observers and the interest
    /// management. Current observers receive no update; Mirror sends moves by the
    /// `NetworkTransform` component.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_transform(
        &mut self,
        id: NetId,
        position: Vector3,
        rotation: Quaternion,
    ) -> Result<(), ObjectError> {
        self.world.expect_object(id)?;
        self.world.set_place(id, Place { position, rotation });
        self.observers.interest.management.handle_move(id, position);
        Ok(())
    }
}
