//! Scenes: the application loads them, and adds their objects to this client.

use syncvar_runtime::{BehaviourSet, Behaviours, NetId};

use crate::SceneId;
use crate::client::MirrorClient;
use crate::client::scenes::{MadeBehaviours, SceneObjectError};
use crate::message::SceneOperation;

impl MirrorClient {
    /// Adds an object of a loaded scene, with the behaviours of a registered prefab. It stays
    /// dormant, outside the [`identities`](Self::identities), until the server spawns the object
    /// with this scene id: these behaviours then receive its snapshot. A despawn makes it dormant
    /// again.
    ///
    /// # Errors
    ///
    /// Fails if no prefab is registered with these behaviours, and if the scene id is 0 or in use.
    pub fn add_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: SceneId,
        behaviours: S,
    ) -> Result<(), SceneObjectError> {
        let behaviours = behaviours.into_behaviours();
        let prefab = self.objects.world.prefabs.find(&behaviours, None)?.index;
        if self.scenes.is_taken(scene_id) || scene_id == SceneId::NONE {
            return Err(SceneObjectError::SceneIdTaken(scene_id));
        }
        self.scenes
            .deactivate(scene_id, MadeBehaviours { prefab, behaviours });
        Ok(())
    }

    /// Removes a dormant scene object. `None` if it is unknown or spawned.
    pub fn remove_scene_object(&mut self, scene_id: SceneId) -> Option<Behaviours> {
        Some(self.scenes.activate(scene_id)?.behaviours)
    }

    /// Returns a dormant scene object.
    pub fn dormant(&self, scene_id: SceneId) -> Option<&Behaviours> {
        Some(&self.scenes.dormant.get(&scene_id)?.behaviours)
    }

    /// Returns the ids of the dormant scene objects, ascending.
    pub fn dormant_scene_ids(&self) -> impl Iterator<Item = SceneId> {
        self.scenes.dormant.keys().copied()
    }

    /// Returns the object that the server spawned under a scene id; its snapshot may be pending.
    pub fn scene_object(&self, scene_id: SceneId) -> Option<NetId> {
        self.scenes.active(scene_id)
    }

    /// Returns whether a scene change is under way: [`scene_loaded`](Self::scene_loaded) is due.
    pub fn is_loading_scene(&self) -> bool {
        self.scenes.is_loading()
    }

    /// Completes the [`MirrorClientEvent::SceneChange`](crate::MirrorClientEvent::SceneChange). A scene loaded in place of the present scenes
    /// despawns the old objects; the objects of the new scene should be
    /// [added](Self::add_scene_object) before. Then the client sends its ready message, according
    /// to [`MirrorClientConfig`](crate::MirrorClientConfig), and handles the waiting messages.
    /// Mirror, `NetworkManager.OnClientSceneChanged`.
    pub fn scene_loaded(&mut self) {
        let Some(operation) = self.scenes.loaded() else {
            return;
        };
        if operation == SceneOperation::Normal {
            self.despawn_all();
        }
        let awaited = std::mem::take(&mut self.scenes.awaited);
        if self.context.config.auto_ready || awaited {
            self.ready();
            if self.context.config.auto_add_player && operation == SceneOperation::Normal {
                self.add_player();
            }
        }
        self.resume();
    }
}
