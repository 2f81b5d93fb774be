//! Options and errors of a spawn.

use syncvar_runtime::PrefabError;
use syncvar_runtime::{ConnectionId, Quaternion, Vector3};

use crate::SceneId;
use crate::server::objects::scene::LoadedScene;
use crate::server::objects::visibility::Visibility;

/// Options of a spawn.
///
/// ```
/// use syncvar::mirror::{MirrorSpawnOptions, Visibility};
/// use syncvar::values::Vector3;
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
    /// Name of the prefab, if several have the same behaviours; by default the first one registered
    /// with these types.
    pub prefab: Option<String>,
    /// Position.
    pub position: Vector3,
    /// Rotation; identity by default.
    pub rotation: Option<Quaternion>,
    /// Scale; 1 in each direction by default.
    pub scale: Option<Vector3>,
    /// Owner.
    pub owner: Option<ConnectionId>,
    /// Visibility.
    pub visibility: Visibility,
    /// Id of an object in the clients' loaded scene; not 0.
    pub scene_id: Option<SceneId>,
    /// Scene that contains the object on the server, for the interest managements of scenes.
    pub scene: LoadedScene,
}

impl MirrorSpawnOptions {
    /// Sets the owner.
    pub(crate) fn with_owner(self, owner: ConnectionId) -> Self {
        let owner = Some(owner);
        Self { owner, ..self }
    }
}

/// Error of a spawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorSpawnError {
    /// No prefab fits the behaviours.
    #[error(transparent)]
    Prefab(#[from] PrefabError),
    /// The prefab is a scene object, and the options lack a scene id.
    #[error("prefab `{0}` is a scene object and needs a scene id: use `spawn_scene_object`")]
    NoSceneId(String),
    /// The scene id is in use, or 0.
    #[error("scene id {:#x} is taken or zero", .0.0)]
    SceneIdTaken(SceneId),
    /// All ids are used.
    #[error("all object ids are used")]
    OutOfIds,
    /// The owner is not connected.
    #[error("{0} is not connected and cannot own anything")]
    UnknownOwner(ConnectionId),
}
