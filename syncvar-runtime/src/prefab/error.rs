//! `SpawnError`: reasons why an object cannot be spawned.

use crate::{ConnectionId, NetId, NetworkSceneId};

/// An object that could not be spawned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// No prefab has behaviours of these types.
    #[error("no prefab is registered with the behaviours {0}: call `Prefabs::register` for them")]
    NotRegistered(String),
    /// No prefab has this name.
    #[error("no prefab is named `{0}`")]
    UnknownPrefab(String),
    /// The prefab of this name has other behaviours.
    #[error("prefab `{prefab}` does not have the behaviours {behaviours}")]
    OtherBehaviours {
        /// The prefab.
        prefab: String,
        /// The behaviours that were given.
        behaviours: String,
    },
    /// The id is in use, or 0.
    #[error("object id {0} is taken or zero")]
    IdTaken(NetId),
    /// The scene id is in use, or 0.
    #[error("scene id {} is taken or zero", .0.0)]
    SceneIdTaken(NetworkSceneId),
    /// All ids have been given out.
    #[error("all object ids have been given out")]
    OutOfIds,
    /// The owner is not connected.
    #[error("{0} is not connected and cannot own anything")]
    UnknownOwner(ConnectionId),
}
