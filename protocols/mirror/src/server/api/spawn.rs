//! Spawn, despawn and placement of objects.

use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::unstable::world::{CheckOut, Departure, LifecycleEvent};
use syncvar_runtime::{BehaviourSet, NetId, ObjectError, Quaternion, Vector3};

use crate::SceneId;
use crate::message::ObjectDestroyMessage;
use crate::server::objects::Prepared;
use crate::server::replication::Replication;
use crate::server::{MirrorServer, MirrorSpawnError, MirrorSpawnOptions};

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
        let is_connected = |owner| self.sessions.get(owner).is_some();
        let prepared = self.objects.prepare(behaviours, options, is_connected)?;
        Ok(self.insert_prepared(prepared, |_, _| {}))
    }

    /// Spawns an object of the clients' loaded scene: they receive its state and scene id. Its
    /// prefab comes from [`MirrorPrefab::scene`](crate::MirrorPrefab::scene), or is an ordinary prefab.
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

    /// Inserts a prepared object. Calls `before` between insertion and the spawn callbacks.
    pub(crate) fn insert_prepared(
        &mut self,
        prepared: Prepared,
        before: impl FnOnce(&mut Self, NetId),
    ) -> NetId {
        let id = self.objects.insert(prepared);
        if let Some(object) = self.objects.get_mut(id)
            && let Some(owner) = object.owner.and_then(|it| self.sessions.get_mut(it))
        {
            owner.holdings.owned.add(id, object);
        }
        let position = self.objects.world.place(id).position;
        let management = &mut self.observers.interest.management;
        management.handle_spawn(id, position);
        before(self, id);
        self.dispatch(id, LifecycleEvent::Spawn);
        if let Some(object) = self.objects.world.objects.get_mut(id.0) {
            object.spawned = true;
            if let Some(entry) = self.objects.prefabs.get(object.prefab) {
                self.replication.frames.add(id, entry);
            }
            self.replicate(Replication::apply_interest);
            self.rebuild_new(id);
            self.replicate(|replication, rooms| replication.update_observers(rooms, id));
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
    pub(crate) fn despawn_if_present(&mut self, id: NetId) -> bool {
        if self.objects.world.checked_out.contains(id) {
            return self
                .objects
                .world
                .checked_out
                .depart(id, Departure::Destroyed);
        }
        if self.objects.world.has_lifecycle(id) {
            self.dispatch(id, LifecycleEvent::Despawn);
            return true;
        }
        self.remove(id)
    }

    /// Removes an object after its despawn callbacks.
    pub(crate) fn remove(&mut self, id: NetId) -> bool {
        let Some(object) = self.objects.remove(id) else {
            return false;
        };
        self.observers.remove_object(id, &object);
        self.calls.remove_object(id);
        self.replication.remove_object(id);
        let (objects, context) = (&mut self.objects, &mut self.context);
        if let Some(profile) = &mut context.stats.profile {
            profile.remove_object(id);
        }
        let owner = object.owner.and_then(|it| self.sessions.get_mut(it));
        if let Some(owner) = owner {
            owner.release(id, &object);
        }
        let audience = object.view.audience;
        let observers = self.observers.audiences.shared_members(audience);
        for connection in observers.iter() {
            let message = ObjectDestroyMessage { net_id: id };
            self.sessions
                .send_object_message(id, *connection, &message, objects, context);
        }
        self.observers.audiences.release(audience);
        true
    }

    /// Returns the scale of an object, for future observers.
    pub fn scale(&self, id: NetId) -> Option<Vector3> {
        Some(self.objects.get(id)?.scale)
    }

    /// Sets the scale of an object, for future observers.
    #[cfg(feature = "components")]
    pub(crate) fn set_scale(&mut self, id: NetId, scale: Vector3) {
        if let Some(object) = self.objects.get_mut(id) {
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
        self.objects.world.expect_object(id)?;
        self.objects
            .world
            .set_place(id, Place { position, rotation });
        self.observers.interest.management.handle_move(id, position);
        Ok(())
    }
}
