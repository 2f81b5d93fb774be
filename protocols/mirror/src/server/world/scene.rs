//! Scenes of the server that contain its objects.

use syncvar_runtime::{NetId, ObjectError};

use crate::server::MirrorServer;

/// A scene that the server has loaded; the game chooses the number. Unity's `Scene`, of which a
/// server may load several instances.
///
/// ```
/// use syncvar::mirror::LoadedScene;
///
/// const FIRST_DUNGEON: LoadedScene = LoadedScene(1);
/// assert_ne!(FIRST_DUNGEON, LoadedScene::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoadedScene(pub u32);

impl MirrorServer {
    /// Returns the scene that contains an object. Unity's `gameObject.scene`.
    pub fn loaded_scene(&self, id: NetId) -> Option<LoadedScene> {
        Some(self.world.objects.get(id.0)?.scene)
    }

    /// Moves an object to another scene of the server, for the interest managements of scenes.
    /// Nothing is sent for it. Unity's `SceneManager.MoveGameObjectToScene`.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn move_to_scene(&mut self, id: NetId, scene: LoadedScene) -> Result<(), ObjectError> {
        let object = self.world.objects.get_mut(id.0);
        object.ok_or(ObjectError::NoSuchObject(id))?.scene = scene;
        if let Some(rebuilds) = &mut self.observers.rebuilds {
            rebuilds.written.insert(id);
        }
        Ok(())
    }
}
