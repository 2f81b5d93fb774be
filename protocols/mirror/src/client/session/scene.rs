//! Scenes: the application loads them, and adds their objects to this client.

use std::collections::BTreeMap;

use syncvar_runtime::prefab::PrefabError;
use syncvar_runtime::{BehaviourSet, Behaviours, NetId};

use crate::SceneId;
use crate::client::{MirrorClient, MirrorClientEvent, SceneChange};
use crate::message::{SceneMessage, SceneOperation};

/// State of scenes.
#[derive(Debug, Default)]
pub(in crate::client) struct Scene {
    /// Scene objects that are not spawned, with the positions of their prefabs.
    dormant: BTreeMap<SceneId, (u32, Behaviours)>,
    /// Spawned scene objects.
    active: BTreeMap<SceneId, NetId>,
    /// Current load or unload.
    loading: Option<SceneOperation>,
    /// The client waits for its first scene before it is ready.
    awaited: bool,
}

/// Error of [`MirrorClient::add_scene_object`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneObjectError {
    /// No prefab fits the behaviours.
    #[error(transparent)]
    Prefab(#[from] PrefabError),
    /// The scene id is in use, or 0.
    #[error("scene id {0} is taken or zero")]
    SceneIdTaken(SceneId),
}

impl Scene {
    /// Begins a connection.
    pub(in crate::client) fn begin(&mut self, awaited: bool) {
        (self.loading, self.awaited) = (None, awaited);
    }

    /// Ends the current load. Returns its operation.
    pub(in crate::client) fn loaded(&mut self) -> Option<SceneOperation> {
        self.loading.take()
    }

    pub(in crate::client) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    pub(in crate::client) fn activate(&mut self, scene_id: SceneId) -> Option<(u32, Behaviours)> {
        self.dormant.remove(&scene_id)
    }

    pub(in crate::client) fn set_active(&mut self, scene_id: SceneId, id: NetId) {
        self.active.insert(scene_id, id);
    }

    pub(in crate::client) fn deactivate(
        &mut self,
        scene_id: SceneId,
        prefab: u32,
        behaviours: Behaviours,
    ) {
        self.active.remove(&scene_id);
        self.dormant.insert(scene_id, (prefab, behaviours));
    }
}

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
        let prefab = self.world.prefabs.find(&behaviours, None)?.index;
        let scene = &self.scene;
        let is_taken =
            scene.dormant.contains_key(&scene_id) || scene.active.contains_key(&scene_id);
        if is_taken || scene_id == SceneId::NONE {
            return Err(SceneObjectError::SceneIdTaken(scene_id));
        }
        self.scene.deactivate(scene_id, prefab, behaviours);
        Ok(())
    }

    /// Removes a dormant scene object. `None` if it is unknown or spawned.
    pub fn remove_scene_object(&mut self, scene_id: SceneId) -> Option<Behaviours> {
        let (_, behaviours) = self.scene.activate(scene_id)?;
        Some(behaviours)
    }

    /// Returns a dormant scene object.
    pub fn dormant(&self, scene_id: SceneId) -> Option<&Behaviours> {
        let (_, behaviours) = self.scene.dormant.get(&scene_id)?;
        Some(behaviours)
    }

    /// Returns the ids of the dormant scene objects, ascending.
    pub fn dormant_scene_ids(&self) -> impl Iterator<Item = SceneId> {
        self.scene.dormant.keys().copied()
    }

    /// Returns the object that the server spawned under a scene id; its snapshot may be pending.
    pub fn scene_object(&self, scene_id: SceneId) -> Option<NetId> {
        self.scene.active.get(&scene_id).copied()
    }

    /// Returns whether a scene change is under way: [`scene_loaded`](Self::scene_loaded) is due.
    pub fn is_loading_scene(&self) -> bool {
        self.scene.is_loading()
    }

    /// Completes the [`MirrorClientEvent::SceneChange`]. A scene loaded in place of all others
    /// despawns the old objects; the objects of the new scene should be
    /// [added](Self::add_scene_object) before. Then the client sends its ready message, according
    /// to [`MirrorClientConfig`](crate::MirrorClientConfig), and handles the waiting messages.
    /// Mirror, `NetworkManager.OnClientSceneChanged`.
    pub fn scene_loaded(&mut self) {
        let Some(operation) = self.scene.loaded() else {
            return;
        };
        if operation == SceneOperation::Normal {
            self.despawn_all();
        }
        let awaited = std::mem::take(&mut self.scene.awaited);
        if self.config.auto_ready || awaited {
            self.ready();
            if self.config.auto_add_player && operation == SceneOperation::Normal {
                self.add_player();
            }
        }
        self.resume();
    }

    pub(in crate::client) fn handle_scene(&mut self, message: &SceneMessage<'_>) {
        let scene = message.scene_name.unwrap_or_default();
        if scene.trim().is_empty() {
            tracing::error!("the server requested a scene without a name");
            return;
        }
        self.scene.loading = Some(message.operation);
        let change = SceneChange {
            scene: scene.into(),
            operation: message.operation,
            custom_handling: message.custom_handling,
        };
        self.events
            .push(MirrorClientEvent::SceneChange(Box::new(change)));
    }
}
