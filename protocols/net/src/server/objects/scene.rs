//! Scene objects: both sides create them, and a scene id matches them.

use syncvar_runtime::object::BehaviourSet;
use syncvar_runtime::world::Protocol;
use syncvar_runtime::{LifecycleCallback, NetId, NetworkSceneId, SpawnError};

use crate::MessageType;
use crate::message::{Message, SpawnFinished};
use crate::server::visibility::audience::Audiences;
use crate::server::{NetworkServer, SpawnOptions};

impl NetworkServer {
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

    /// Sends the end of the scene's spawns to all ready clients.
    pub(in crate::server) fn send_scene_spawned(&mut self) {
        if !self.context.config.compare_schemas
            || !self
                .visibility
                .audiences
                .get(Audiences::EVERYONE)
                .has_observers()
        {
            return;
        }
        for segments in self
            .visibility
            .audiences
            .outputs(Audiences::EVERYONE)
            .channel(0)
        {
            SpawnFinished { state: 2 }.encode(segments.begin());
            let length = segments.commit();
            self.context
                .stats
                .count_encoded(MessageType::SpawnFinished, length);
        }
        self.deliver();
    }
}
