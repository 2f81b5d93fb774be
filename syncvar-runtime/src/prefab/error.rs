//! Errors of the registry, and of spawns.

use std::error::Error;
use std::fmt;

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
/// let error = server.try_spawn(Door::default(), SpawnOptions::default()).unwrap_err();
/// assert!(matches!(error, SpawnError::Prefab(PrefabError::NotRegistered(_))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnError {
    /// No prefab fits the behaviours.
    Prefab(PrefabError),
    /// The id is in use, or 0; or an earlier object had it, whose end a client on an unreliable transport has
    /// not confirmed yet.
    IdTaken(NetId),
    /// The scene id is in use, or 0.
    SceneIdTaken(NetworkSceneId),
    /// No id is left.
    OutOfIds,
    /// The owner is not connected.
    UnknownOwner(ConnectionId),
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefab(error) => fmt::Display::fmt(error, f),
            Self::IdTaken(object) => write!(f, "object id {object} is taken or zero"),
            Self::SceneIdTaken(scene_id) => write!(f, "scene id {} is taken or zero", scene_id.0),
            Self::OutOfIds => f.write_str("all object ids have been given out"),
            Self::UnknownOwner(connection) => {
                write!(f, "{connection} is not connected and cannot own anything")
            }
        }
    }
}

impl Error for SpawnError {}

impl From<PrefabError> for SpawnError {
    fn from(error: PrefabError) -> Self {
        Self::Prefab(error)
    }
}

/// Reason why no prefab fits the behaviours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrefabError {
    /// No prefab is registered with these behaviours in this order.
    NotRegistered(String),
    /// No prefab has this name.
    UnknownName(String),
    /// The behaviours of the prefab with this name differ.
    OtherBehaviours {
        /// Name of the prefab.
        prefab: String,
        /// Behaviours of the object.
        behaviours: String,
    },
}

impl fmt::Display for PrefabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRegistered(behaviours) => write!(
                f,
                "no prefab is registered with the behaviours {behaviours}: call `Prefabs::register` \
                 for them"
            ),
            Self::UnknownName(name) => write!(f, "no prefab is named `{name}`"),
            Self::OtherBehaviours { prefab, behaviours } => write!(
                f,
                "prefab `{prefab}` does not have the behaviours {behaviours}"
            ),
        }
    }
}

impl Error for PrefabError {}
