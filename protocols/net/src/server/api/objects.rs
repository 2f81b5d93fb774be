//! Objects: spawn, despawn, place, scene, parents.

use syncvar_runtime::BehaviourSet;
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::unstable::world::{CheckOut, Departure, LifecycleEvent};
use syncvar_runtime::{
    LifecycleCallback, NetId, NetRef, NetworkSceneId, ObjectError, Quaternion, SpawnError, Vector3,
};

use crate::server::api::rooms::Rooms;
use crate::server::objects::spawn::NewObject;
use crate::server::visibility::audience::Audiences;
use crate::server::{NetworkServer, ParentError, SpawnOptions};

impl NetworkServer {
    /// Spawns an object: with the next update, all ready clients receive it. The callbacks of its
    /// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) run before the method returns. A callback may
    /// despawn the object again.
    ///
    /// # Panics
    ///
    /// If no prefab is registered with these behaviours in this order. Use
    /// [`try_spawn`](Self::try_spawn) if the types are not known in advance.
    #[track_caller]
    pub fn spawn<S: BehaviourSet>(&mut self, behaviours: S) -> NetId {
        match self.try_spawn(behaviours, SpawnOptions::default()) {
            Ok(net_id) => net_id,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns an object with options, like [`spawn`](Self::spawn) but without a panic.
    ///
    /// # Errors
    ///
    /// If the prefab, the id or the owner is invalid. No object is spawned then.
    pub fn try_spawn<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: SpawnOptions,
    ) -> Result<NetId, SpawnError> {
        let SpawnOptions {
            prefab,
            net_id,
            position,
            rotation,
            owner,
            hidden,
            scene_id,
        } = options;
        let behaviours = behaviours.into_behaviours();
        let prefab = {
            self.objects
                .world
                .prefabs
                .find(&behaviours, prefab.as_deref())?
        }
        .index;
        if let Some(owner) = owner.filter(|owner| !self.sessions.knows(*owner)) {
            return Err(SpawnError::UnknownOwner(owner));
        }
        self.objects.check_scene_id(scene_id)?;
        let net_id = self.objects.choose_net_id(net_id)?;
        let audience = if hidden {
            Audiences::NOBODY
        } else {
            Audiences::EVERYONE
        };
        let rotation = rotation.unwrap_or(Quaternion::IDENTITY);
        let object = NewObject {
            prefab,
            behaviours,
            audience,
            by_interest: !hidden,
            scene_id,
            place: Place { position, rotation },
        };
        self.objects.insert(&mut self.context, net_id, object);
        let tick = self.outbound.store.tick;
        self.objects.track_ticks(net_id, tick, &self.context.config);
        let prefab = self.objects.prefab_name(net_id);
        tracing::trace!(object = %net_id, prefab, owner = owner.map(|it| it.0), "spawned an object");
        self.visibility.add_object(net_id, audience, position);
        if owner.is_some() {
            self.give(net_id, owner);
        }
        self.dispatch(net_id, LifecycleEvent::Spawn);
        Ok(net_id)
    }

    /// Removes an object from the server and from all clients that observe it. Its children lose
    /// their parent.
    ///
    /// Its [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs first. An
    /// object that is checked out for a callback is despawned after that callback.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or is despawned after a running callback already.
    pub fn despawn(&mut self, id: NetId) -> Result<(), ObjectError> {
        let existed = if self.objects.world.checked_out.contains(id) {
            self.objects
                .world
                .checked_out
                .depart(id, Departure::Destroyed)
        } else if self.objects.world.has_lifecycle(id) {
            self.dispatch(id, LifecycleEvent::Despawn);
            true
        } else {
            self.remove(id)
        };
        if existed {
            Ok(())
        } else {
            Err(ObjectError::NoSuchObject(id))
        }
    }

    /// Sets the position and rotation in later snapshots of an object. Clients that have the object
    /// are not updated: use a field for a position that they follow.
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
        self.objects.world.expect_object(id)?;
        self.objects
            .world
            .set_place(id, Place { position, rotation });
        self.visibility
            .interest
            .management
            .handle_move(id, position);
        Ok(())
    }

    /// Spawns an object that clients have created already, from a level file for example. They
    /// receive its state and apply it to the behaviours of
    /// [`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object) with the same
    /// scene id. Both sides agree on the scene id: any unused number but 0.
    /// [`SpawnOptions::scene_id`] does the same, with more options.
    ///
    /// # Errors
    ///
    /// If no prefab is registered with these behaviours, or if the scene id is in use.
    pub fn spawn_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: NetworkSceneId,
        behaviours: S,
    ) -> Result<NetId, SpawnError> {
        let options = SpawnOptions {
            scene_id: Some(scene_id),
            ..SpawnOptions::default()
        };
        self.try_spawn(behaviours, options)
    }

    /// Returns the object with a scene id.
    pub fn scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        self.objects.world.relations.scene_object(scene_id)
    }

    /// Returns all scene objects, by ascending scene id.
    pub fn scene_objects(&self) -> impl Iterator<Item = (NetworkSceneId, NetId)> {
        self.objects.world.relations.scene_objects()
    }

    /// Declares the scene complete: all scene objects are spawned. The next update sends
    /// [`ClientEvent::SceneObjectsSpawned`](crate::ClientEvent::SceneObjectsSpawned) to ready
    /// clients, after the objects. Clients that join later get it after their objects.
    ///
    /// [`on_in_scene_objects_spawned`](syncvar_runtime::NetworkLifecycle::on_in_scene_objects_spawned) of all
    /// scene objects runs at once here, and before the event on clients.
    pub fn scene_loaded(&mut self) {
        self.visibility.scene_loaded = true;
        let spawned: Vec<NetId> = self.scene_objects().map(|(_, object)| object).collect();
        self.dispatch_to(&spawned, LifecycleCallback::InSceneObjectsSpawned);
    }

    /// Sets or removes the parent of an object. The next update notifies its observers
    /// ([`ClientEvent::ParentChanged`](crate::ClientEvent::ParentChanged)), even if they do not
    /// observe the parent. Later observers get the parent with the snapshot.
    ///
    /// A parent has no other effect: children are hidden, owned and despawned independently. A
    /// despawn removes the parent of all children.
    ///
    /// # Errors
    ///
    /// If an object does not exist, or if the parent is the object or a descendant. The server
    /// stays unchanged then.
    pub fn set_parent(&mut self, child: NetId, parent: Option<NetId>) -> Result<(), ParentError> {
        self.objects.check_parent(child, parent)?;
        self.change_parent(child, parent);
        Ok(())
    }

    /// Returns the children of an object, by ascending id.
    pub fn children(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.objects.world.relations.children(id)
    }

    /// Returns the parent of an object, its parent, and so on.
    pub fn ancestors(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.objects.world.relations.ancestors(id)
    }

    /// Returns an id that no other object receives. Use it once in
    /// [`SpawnOptions::net_id`](crate::SpawnOptions::net_id). References to it may be written before.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// # #[derive(NetworkBehaviour, Default)]
    /// # struct Door {
    /// #     #[sync_var]
    /// #     open: SyncVar<bool>,
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// let id = server.reserve_id()?;
    /// assert_ne!(server.spawn(Door::default()), id);
    /// let options = SpawnOptions { net_id: Some(id), ..SpawnOptions::default() };
    /// assert_eq!(server.try_spawn(Door::default(), options)?, id);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// After 2^32 - 1 ids.
    pub fn reserve_id(&mut self) -> Result<NetId, SpawnError> {
        self.objects.choose_net_id(None)
    }

    /// Returns a reference to a spawned object: [`NetRef::to`].
    pub fn net_ref(&self, id: NetId) -> Option<NetRef> {
        NetRef::to(self, id)
    }

    /// Removes an object after its lifecycle callbacks. Returns whether the object existed.
    pub(crate) fn remove(&mut self, id: NetId) -> bool {
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.hide_at_once(&mut ground, id);
        self.keep_history(id);
        let Rooms {
            ground,
            visibility,
            replication,
            calls,
            host,
            ..
        } = self.rooms();
        let Some(replicated) = ground.objects.remove(id) else {
            return false;
        };
        replication.bandwidth.remove_object(id);
        if let Some(host) = host {
            host.remove_object(id);
        }
        calls.remove_object(id);
        if let Some(profile) = &mut ground.context.stats.profile {
            profile.remove_object(id);
        }
        if let Some(owner) = replicated.owner {
            ground.sessions.set_owned(owner, id, false);
        }
        if visibility.remove_object(ground.context, id, &replicated) {
            self.objects.ended_ids.add(id);
        }
        let relations = &self.objects.world.relations;
        if relations.has_children() {
            for child in relations.children(id).collect::<Vec<_>>() {
                // A callback may have set a new parent.
                if self.objects.world.relations.parent(child) == Some(id) {
                    self.change_parent(child, None);
                }
            }
        }
        true
    }

    /// Sets or removes the parent of an object, and runs the callback.
    fn change_parent(&mut self, child: NetId, parent: Option<NetId>) {
        if self.objects.set_parent(child, parent) {
            let Rooms {
                ground, visibility, ..
            } = self.rooms();
            visibility.queue_parent(ground.context, ground.objects, child);
            let callback = LifecycleCallback::ParentChanged(parent);
            self.dispatch(child, LifecycleEvent::Call(callback));
        }
    }
}
