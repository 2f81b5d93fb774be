//! Scene objects: both sides make them themselves, and they are matched by their number in the scene.

use super::audience::Audiences;
use super::{NetworkServer, SpawnOptions};
use crate::LifecycleCallback;
use crate::SpawnError;
use crate::message::{Message, SpawnFinished};
use crate::object::BehaviourSet;
use crate::{MessageType, NetId, NetworkSceneId};

impl NetworkServer {
    /// Spawns an object that clients have made themselves, from a level file say: they are sent its
    /// state, and it is applied to the behaviours that they have given to
    /// [`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object) under the same scene
    /// id. The scene id is any number but 0 that both sides agree on; no other object that is spawned
    /// has it. [`SpawnOptions::scene_id`] does the same where there is more to be said.
    ///
    /// # Errors
    ///
    /// When no prefab is registered with these behaviours, or when the scene id is in use.
    pub fn spawn_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: NetworkSceneId,
        behaviours: S,
    ) -> Result<NetId, SpawnError> {
        let options = SpawnOptions {
            scene_id: Some(scene_id),
            ..SpawnOptions::default()
        };
        self.spawn_with(behaviours, options)
    }

    pub(super) fn check_scene_id(
        &self,
        scene_id: Option<NetworkSceneId>,
    ) -> Result<(), SpawnError> {
        match scene_id {
            Some(scene_id)
                if scene_id == NetworkSceneId(0)
                    || self.relations.scene_object(scene_id).is_some() =>
            {
                Err(SpawnError::SceneIdTaken(scene_id))
            }
            _ => Ok(()),
        }
    }

    /// The object that is spawned under a scene id.
    pub fn scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        self.relations.scene_object(scene_id)
    }

    /// All scene objects that are spawned, by ascending scene id.
    pub fn scene_objects(&self) -> impl Iterator<Item = (NetworkSceneId, NetId)> {
        self.relations.scene_objects()
    }

    /// The game says that its scene is complete: every scene object has been spawned. With the next
    /// update, after the objects themselves, clients that are ready are told so by
    /// [`ClientEvent::SceneObjectsSpawned`](crate::ClientEvent::SceneObjectsSpawned). Those who join
    /// later are told when they have been given everything.
    ///
    /// [`on_in_scene_objects_spawned`](crate::NetworkLifecycle::on_in_scene_objects_spawned) of all scene
    /// objects runs here at once, and on clients before the event.
    pub fn scene_loaded(&mut self) {
        self.scene_loaded = true;
        let spawned: Vec<NetId> = self.scene_objects().map(|(_, object)| object).collect();
        self.call_lifecycle(&spawned, LifecycleCallback::InSceneObjectsSpawned);
    }

    /// All scene objects are spawned, here and on the clients that are ready.
    pub(super) fn scene_objects_spawned(&mut self) {
        if !self.config.compare_schemas || !self.audiences.get(Audiences::EVERYONE).has_listeners()
        {
            return;
        }
        for segments in self.audiences.outputs(Audiences::EVERYONE).channel(0) {
            SpawnFinished { state: 2 }.encode(segments.begin());
            let length = segments.commit();
            self.stats.count_encoded(MessageType::SpawnFinished, length);
        }
        self.deliver();
    }
}
