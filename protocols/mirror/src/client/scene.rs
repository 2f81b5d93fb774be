//! Scenes: the application loads them, and gives this client the objects that stand in them.

use std::collections::BTreeMap;

use syncvar_runtime::{BehaviourSet, Behaviours, NetId};

use super::{MirrorClient, MirrorClientEvent, SceneChange};
use crate::SceneId;
use crate::message::{SceneMessage, SceneOperation};

/// What is known of scenes.
#[derive(Debug, Default)]
pub(super) struct Scene {
    /// Objects of the scene that are not spawned, and the positions of their prefabs.
    dormant: BTreeMap<SceneId, (u32, Behaviours)>,
    /// Those that are spawned.
    awake: BTreeMap<SceneId, NetId>,
    /// What is being done with a scene.
    loading: Option<SceneOperation>,
    /// Whether this client is not ready yet because it waits for its first scene.
    awaited: bool,
}

/// Why an object of a scene cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneObjectError {
    /// No prefab has behaviours of these types.
    #[error("no prefab is registered with the behaviours {0}")]
    NotRegistered(String),
    /// The scene id is in use, or 0.
    #[error("scene id {0} is taken or zero")]
    SceneIdTaken(SceneId),
}

impl Scene {
    /// A connection begins.
    pub(super) fn begin(&mut self, awaited: bool) {
        (self.loading, self.awaited) = (None, awaited);
    }

    /// Nothing is being loaded. Returns what was.
    pub(super) fn loaded(&mut self) -> Option<SceneOperation> {
        self.loading.take()
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    pub(super) fn wake(&mut self, scene_id: SceneId) -> Option<(u32, Behaviours)> {
        self.dormant.remove(&scene_id)
    }

    pub(super) fn note_awake(&mut self, scene_id: SceneId, id: NetId) {
        self.awake.insert(scene_id, id);
    }

    pub(super) fn put_to_sleep(&mut self, scene_id: SceneId, prefab: u32, behaviours: Behaviours) {
        self.awake.remove(&scene_id);
        self.dormant.insert(scene_id, (prefab, behaviours));
    }
}

impl MirrorClient {
    /// Adds an object that stands in a scene which has been loaded, with the behaviours of a registered
    /// prefab. It is dormant, and not among the [`identities`](Self::identities), until the server spawns
    /// the object with this scene id: then the state is applied to these behaviours. When that goes, it is
    /// dormant again.
    ///
    /// # Errors
    ///
    /// When no prefab is registered with these behaviours, or when the scene id is 0 or has been added.
    pub fn add_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: SceneId,
        behaviours: S,
    ) -> Result<(), SceneObjectError> {
        let behaviours = behaviours.into_behaviours();
        let Some(prefab) = self.prefabs.by_types(&behaviours.slots().type_ids()) else {
            return Err(SceneObjectError::NotRegistered(format!("{behaviours:?}")));
        };
        let scene = &self.scene;
        let is_taken = scene.dormant.contains_key(&scene_id) || scene.awake.contains_key(&scene_id);
        if is_taken || scene_id == SceneId::NONE {
            return Err(SceneObjectError::SceneIdTaken(scene_id));
        }
        let prefab = prefab.index;
        self.scene.put_to_sleep(scene_id, prefab, behaviours);
        Ok(())
    }

    /// Takes a dormant object of a scene back. None if there is none, or if it is spawned.
    pub fn remove_scene_object(&mut self, scene_id: SceneId) -> Option<Behaviours> {
        let (_, behaviours) = self.scene.wake(scene_id)?;
        Some(behaviours)
    }

    /// An object of a scene that is not spawned.
    pub fn dormant(&self, scene_id: SceneId) -> Option<&Behaviours> {
        let (_, behaviours) = self.scene.dormant.get(&scene_id)?;
        Some(behaviours)
    }

    /// The objects of scenes that are not spawned, by ascending scene id.
    pub fn dormant_scene_ids(&self) -> impl Iterator<Item = SceneId> {
        self.scene.dormant.keys().copied()
    }

    /// The object that the server has spawned under a scene id; its state may not be there yet.
    pub fn scene_object(&self, scene_id: SceneId) -> Option<NetId> {
        self.scene.awake.get(&scene_id).copied()
    }

    /// Whether the server wants a scene to be loaded or unloaded, and
    /// [`scene_loaded`](Self::scene_loaded) has not been called since.
    pub fn is_loading_scene(&self) -> bool {
        self.scene.is_loading()
    }

    /// What [`MirrorClientEvent::SceneChange`] has asked for is done. Where a scene was loaded in the place of
    /// what there was, the objects of before go, to come again; those that stand in the new one should have
    /// been [added](Self::add_scene_object) by now. Then the server is told that this client is ready, as
    /// [`MirrorClientConfig`](crate::MirrorClientConfig) has it, and the messages that have waited are
    /// handled. Mirror, `NetworkManager.OnClientSceneChanged`.
    pub fn scene_loaded(&mut self) {
        let Some(operation) = self.scene.loaded() else {
            return;
        };
        if operation == SceneOperation::Normal {
            self.forget_all();
        }
        let awaited = std::mem::take(&mut self.scene.awaited);
        if self.config.auto_ready || awaited {
            self.ready();
            if self.config.auto_add_player && operation == SceneOperation::Normal {
                self.add_player();
            }
        }
        self.catch_up();
    }

    pub(super) fn handle_scene(&mut self, message: &SceneMessage<'_>) {
        let scene = message.scene_name.unwrap_or_default();
        if scene.trim().is_empty() {
            tracing::error!("the server wants a scene without a name");
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
