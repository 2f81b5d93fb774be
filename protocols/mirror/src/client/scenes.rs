//! Scenes: their objects that are not spawned, and the current load.

use std::collections::BTreeMap;

use syncvar_runtime::PrefabError;
use syncvar_runtime::{Behaviours, NetId};

use crate::SceneId;
use crate::client::event::SceneChange;
use crate::message::{SceneMessage, SceneOperation};

/// Behaviours of an object before its spawn, and the position of their prefab.
#[derive(Debug)]
pub(crate) struct MadeBehaviours {
    pub(crate) prefab: u32,
    pub(crate) behaviours: Behaviours,
}

/// State of scenes.
#[derive(Debug, Default)]
pub(crate) struct Scenes {
    /// Scenes objects that are not spawned, with their prefabs.
    pub(crate) dormant: BTreeMap<SceneId, MadeBehaviours>,
    /// Spawned scene objects.
    active: BTreeMap<SceneId, NetId>,
    /// Current load or unload.
    pub(crate) loading: Option<SceneOperation>,
    /// The client waits for its first scene before it is ready.
    pub(crate) awaited: bool,
}

/// Error of [`MirrorClient::add_scene_object`](crate::MirrorClient::add_scene_object).
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

impl Scenes {
    /// Begins a connection.
    pub(crate) fn begin(&mut self, awaited: bool) {
        (self.loading, self.awaited) = (None, awaited);
    }

    /// Ends the current load. Returns its operation.
    pub(crate) fn loaded(&mut self) -> Option<SceneOperation> {
        self.loading.take()
    }

    pub(crate) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    pub(crate) fn activate(&mut self, scene_id: SceneId) -> Option<MadeBehaviours> {
        self.dormant.remove(&scene_id)
    }

    pub(crate) fn set_active(&mut self, scene_id: SceneId, id: NetId) {
        self.active.insert(scene_id, id);
    }

    pub(crate) fn deactivate(&mut self, scene_id: SceneId, made: MadeBehaviours) {
        self.active.remove(&scene_id);
        self.dormant.insert(scene_id, made);
    }

    /// Begins the load that the server requests. Returns the change for the application.
    pub(crate) fn begin_load(&mut self, message: &SceneMessage<'_>) -> Option<SceneChange> {
        let scene = message.scene_name.unwrap_or_default();
        if scene.trim().is_empty() {
            tracing::error!("the server requested a scene without a name");
            return None;
        }
        self.loading = Some(message.operation);
        Some(SceneChange {
            scene: scene.into(),
            operation: message.operation,
            custom_handling: message.custom_handling,
        })
    }

    /// Returns the object that the server spawned under a scene id.
    pub(crate) fn active(&self, scene_id: SceneId) -> Option<NetId> {
        self.active.get(&scene_id).copied()
    }

    /// Returns whether a scene id belongs to an object.
    pub(crate) fn is_taken(&self, scene_id: SceneId) -> bool {
        self.dormant.contains_key(&scene_id) || self.active.contains_key(&scene_id)
    }
}
