//! Commands about objects: spawn, despawn, place.

use std::any::TypeId;

use syncvar_runtime::lend::{Errand, Leaving, Tells};
use syncvar_runtime::relations::Place;
use syncvar_runtime::{
    BehaviourSet, Behaviours, ConnectionId, NetId, NetworkSceneId, Quaternion, Vector3,
};

use super::MirrorServer;
use super::audience::Audiences;
use super::object::{Object, Visibility};
use crate::SceneId;
use crate::message::ObjectDestroyMessage;
use crate::prefabs::Entry;

/// What a spawn can say beyond the behaviours' values.
///
/// ```
/// use syncvar_mirror::{MirrorSpawnOptions, Visibility};
/// use syncvar_runtime::Vector3;
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
    /// The name of the prefab, where several have the same behaviours; otherwise the first one
    /// registered with behaviours of these types.
    pub prefab: Option<String>,
    /// Where the object stands.
    pub position: Vector3,
    /// How it is turned; no rotation if left out.
    pub rotation: Option<Quaternion>,
    /// How large it is; 1 in each direction if left out.
    pub scale: Option<Vector3>,
    /// Who owns it.
    pub owner: Option<ConnectionId>,
    /// Who sees it.
    pub visibility: Visibility,
    /// Which object of the scene it is, where clients have it when they have loaded the scene; not 0.
    pub scene_id: Option<SceneId>,
}

/// An object that could not be spawned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorSpawnError {
    /// No prefab has behaviours of these types.
    #[error(
        "no prefab is registered with the behaviours {0}, in this order: call `MirrorPrefabs::register` for \
         them"
    )]
    NotRegistered(String),
    /// No prefab has this name.
    #[error("no prefab is named `{0}`")]
    UnknownPrefab(String),
    /// The prefab of this name has other behaviours.
    #[error("prefab `{prefab}` has other behaviours than {behaviours}, or in another order")]
    OtherBehaviours {
        /// The prefab.
        prefab: String,
        /// The behaviours that were given.
        behaviours: String,
    },
    /// The prefab is an object of a scene, and it was not said which one.
    #[error(
        "prefab `{0}` is an object of a scene: a scene id is needed, as in `spawn_scene_object`"
    )]
    NoSceneId(String),
    /// The scene id is in use, or 0.
    #[error("scene id {:#x} is taken or zero", .0.0)]
    SceneIdTaken(SceneId),
    /// All ids have been given out.
    #[error("all object ids have been given out")]
    OutOfIds,
    /// The owner is not connected.
    #[error("{0} is not connected and cannot own anything")]
    UnknownOwner(ConnectionId),
}

/// An object that can be spawned.
pub(super) struct Prepared {
    id: NetId,
    object: Object,
}

impl MirrorServer {
    /// Spawns an object: every ready connection that may see it is sent it at once. The callbacks of its
    /// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) run before that; one of them may have
    /// despawned it by then.
    ///
    /// # Panics
    ///
    /// When no prefab is registered with these behaviours, in this order. Where that is not known
    /// when the program is written, use [`spawn_with`](Self::spawn_with).
    #[track_caller]
    pub fn spawn<S: BehaviourSet>(&mut self, behaviours: S) -> NetId {
        match self.spawn_with(behaviours, MirrorSpawnOptions::default()) {
            Ok(net_id) => net_id,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns an object with everything that can be said about it.
    ///
    /// # Errors
    ///
    /// When the prefab, the scene id or the owner is not right; nothing is spawned then.
    pub fn spawn_with<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<NetId, MirrorSpawnError> {
        let prepared = self.prepare(behaviours, options)?;
        Ok(self.enter(prepared, |_, _| {}))
    }

    /// Spawns an object that clients have when they have loaded the scene: they are sent its state, and
    /// which one it is. Its prefab is one of [`MirrorPrefab::scene`](crate::MirrorPrefab::scene), or any
    /// other.
    ///
    /// # Errors
    ///
    /// As [`spawn_with`](Self::spawn_with).
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
        self.spawn_with(behaviours, options)
    }

    /// Checks everything about an object, and gives it its number.
    pub(super) fn prepare<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<Prepared, MirrorSpawnError> {
        let MirrorSpawnOptions {
            prefab,
            position,
            rotation,
            scale,
            owner,
            visibility,
            scene_id,
        } = options;
        let mut behaviours = behaviours.into_behaviours();
        let entry = self.find_prefab(&behaviours, prefab.as_deref())?;
        if scene_id.is_none() && entry.asset_id == crate::AssetId::NONE {
            return Err(MirrorSpawnError::NoSceneId(entry.name.clone()));
        }
        let prefab = entry.index;
        if let Some(owner) = owner.filter(|owner| !self.is_connected(*owner)) {
            return Err(MirrorSpawnError::UnknownOwner(owner));
        }
        if let Some(scene_id) = scene_id
            && (scene_id == SceneId::NONE || self.scene_objects.contains_key(&scene_id.0))
        {
            return Err(MirrorSpawnError::SceneIdTaken(scene_id));
        }
        behaviours.slots_mut().for_each_mut(|slot| {
            slot.set_verbatim(true, 0);
            // What they have been filled with is no change.
            slot.set_observed(false);
        });
        let id = NetId(self.next_id);
        if id == NetId::NONE {
            return Err(MirrorSpawnError::OutOfIds);
        }
        Ok(Prepared {
            id,
            object: Object {
                behaviours: Some(behaviours),
                prefab,
                scene_id: scene_id.unwrap_or(SceneId::NONE),
                place: Place {
                    position,
                    rotation: rotation.unwrap_or(Quaternion::IDENTITY),
                },
                scale: scale.unwrap_or(Vector3::new(1.0, 1.0, 1.0)),
                owner,
                owned_at: 0,
                audience: Audiences::NOBODY,
                visibility,
                area: None,
                views: Vec::new(),
                spawned: false,
                queued: false,
                unshown: false,
                handed_over: 0,
                former_owner: None,
                everything_dirty: 0,
                promised: 0,
            },
        })
    }

    /// Spawns what has been prepared: `before` is done when it is there and nobody knows.
    pub(super) fn enter(
        &mut self,
        prepared: Prepared,
        before: impl FnOnce(&mut Self, NetId),
    ) -> NetId {
        let Prepared { id, mut object } = prepared;
        self.next_id = id.0.wrapping_add(1);
        if object.scene_id != SceneId::NONE {
            self.scene_objects.insert(object.scene_id.0, id);
            // Contexts know as much of it.
            let scene_id = NetworkSceneId(object.scene_id.low());
            self.relations.set_scene_id(id, scene_id);
        }
        let owner = object.owner.and_then(|it| self.connections.get_mut(it.0));
        if let Some(owner) = owner {
            owner.owned.add(id, &mut object);
        }
        let position = object.place.position;
        self.objects.insert(id.0, object);
        self.interest.management.handle_spawn(id, position);
        before(self, id);
        self.tell(id, Errand::Spawn);
        if let Some(object) = self.objects.get_mut(id.0) {
            object.spawned = true;
            self.follow_interest();
            self.look_all(id);
        }
        id
    }

    fn find_prefab(
        &self,
        behaviours: &Behaviours,
        name: Option<&str>,
    ) -> Result<&Entry, MirrorSpawnError> {
        let types: Vec<TypeId> = behaviours.slots().type_ids();
        let Some(name) = name else {
            let entry = self.prefabs.by_types(&types);
            return entry.ok_or_else(|| MirrorSpawnError::NotRegistered(format!("{behaviours:?}")));
        };
        let entry = self.prefabs.by_name(name);
        let entry = entry.ok_or_else(|| MirrorSpawnError::UnknownPrefab(name.into()))?;
        if entry.types != types {
            return Err(MirrorSpawnError::OtherBehaviours {
                prefab: name.into(),
                behaviours: format!("{behaviours:?}"),
            });
        }
        Ok(entry)
    }

    /// Takes an object away from the server and from every client that observes it: Mirror's
    /// `NetworkServer.Destroy`, which says the same to clients as its `UnSpawn`. Returns whether there was
    /// one.
    ///
    /// Its [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs first. If
    /// the object is being called at the time, it is despawned when that is done.
    pub fn despawn(&mut self, id: NetId) -> bool {
        if self.lent.contains(id) {
            return self.lent.let_go(id, Leaving::Destroyed);
        }
        if self.has_lifecycle(id) {
            self.tell(id, Errand::Despawn);
            return true;
        }
        self.remove(id)
    }

    /// Takes an object away, when its behaviours have been told.
    pub(super) fn remove(&mut self, id: NetId) -> bool {
        let Some(object) = self.objects.remove(id.0) else {
            return false;
        };
        self.relations.forget(id);
        self.scene_objects.remove(&object.scene_id.0);
        self.interest.forget(id, object.area);
        self.owed.retain(|(_, owed)| *owed != id);
        self.calls.forget(id);
        self.unreliable.remove(&id);
        self.hybrid.forget(id);
        let owner = object.owner.and_then(|it| self.connections.get_mut(it.0));
        if let Some(owner) = owner {
            owner.owned.remove(&object);
            owner.player = owner.player.filter(|player| *player != id);
        }
        let observers = self.audiences.shared_members(object.audience);
        for connection in observers.iter() {
            self.send_about(id, *connection, &ObjectDestroyMessage { net_id: id });
        }
        self.audiences.release(object.audience);
        true
    }

    /// Where an object stands, for those who are sent it from now on, and for the interest management.
    /// Those who have it are not told: Mirror has that done by a component of its own. Returns whether
    /// there is such an object.
    pub fn set_transform(&mut self, id: NetId, position: Vector3, rotation: Quaternion) -> bool {
        let Some(object) = self.objects.get_mut(id.0) else {
            return false;
        };
        object.place = Place { position, rotation };
        self.interest.management.handle_move(id, position);
        true
    }
}
