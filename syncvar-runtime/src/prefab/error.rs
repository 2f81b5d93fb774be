//! `SpawnError`: reasons why an object was not spawned.

use super::PrefabError;
use crate::{ConnectionId, NetId, NetworkSceneId};

/// Reason why an object was not spawned.
///
/// ```
/// use syncvar::error::{PrefabError, SpawnError};
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut server = NetworkServer::new(Prefabs::new()); // without the door
/// let error = server.spawn_with(Door::default(), SpawnOptions::default()).unwrap_err();
/// assert!(matches!(error, SpawnError::Prefab(PrefabError::NotRegistered(_))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// No prefab fits the behaviours.
    #[error(transparent)]
    Prefab(#[from] PrefabError),
    /// The id is in use, or 0.
    #[error("object id {0} is taken or zero")]
    IdTaken(NetId),
    /// The scene id is in use, or 0.
    #[error("scene id {} is taken or zero", .0.0)]
    SceneIdTaken(NetworkSceneId),
    /// No id is left.
    #[error("all object ids have been given out")]
    OutOfIds,
    /// The owner is not connected.
    #[error("{0} is not connected and cannot own anything")]
    UnknownOwner(ConnectionId),
}
