//! Events of the client.

use std::time::Duration;

use syncvar_runtime::{
    CallFailure, CallbackFailure, Changed, ChangedFields, HookFailure, NetId, NetworkBehaviour,
    ReadError,
};

use crate::message::SceneOperation;
use crate::{AssetId, MirrorError, ReceivedMessage, SceneId};

/// An event of a [`MirrorClient`](crate::MirrorClient).
///
/// ```
/// use syncvar::mirror::{Limits, MirrorClient, MirrorClientEvent, MirrorPrefabs};
///
/// let mut client = MirrorClient::new(MirrorPrefabs::new());
/// client.handle_connect(Limits::TELEPATHY);
/// client.handle_disconnect();
/// let mut disconnected = false;
/// while let Some(event) = client.poll_event() {
///     match event {
///         MirrorClientEvent::Spawned { object } => println!("{object} has arrived"),
///         MirrorClientEvent::Disconnected { .. } => disconnected = true,
///         _ => {}
///     }
/// }
/// assert!(disconnected);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MirrorClientEvent {
    /// The transport has a connection. Mirror needs no handshake.
    Connected,
    /// The connection has ended. Its objects are despawned now, each with its
    /// [`Despawned`](Self::Despawned).
    Disconnected {
        /// The error, if this client ended the connection.
        error: Option<Box<MirrorError>>,
    },
    /// The server requests a load or unload of a scene. Its further messages wait for
    /// [`MirrorClient::scene_loaded`](crate::MirrorClient::scene_loaded). Mirror,
    /// `NetworkManager.OnClientChangeScene`.
    SceneChange(Box<SceneChange>),
    /// A burst is complete: each of its objects was [`Spawned`](Self::Spawned).
    Synchronized,
    /// The server sends no more changes and refuses commands until
    /// [`ready`](crate::MirrorClient::ready). The objects stay unchanged.
    NotReady,
    /// An object is spawned: it has its snapshot, and its callbacks have run.
    Spawned {
        /// The object.
        object: NetId,
    },
    /// The server spawned a known object again. The snapshot is applied, and the hooks of changed
    /// fields have run.
    Respawned {
        /// The object.
        object: NetId,
    },
    /// Fields were received; the hooks of changed fields have run.
    Changed {
        /// The object.
        object: NetId,
        /// The position of the component.
        component: usize,
        /// The fields.
        fields: ChangedFields,
    },
    /// An object is despawned.
    Despawned {
        /// The object.
        object: NetId,
        /// Set for a hide: the object still exists on the server.
        hidden: bool,
    },
    /// This client became the owner of an object, or lost it. As in Mirror, the components of the past
    /// owner ([`SyncMode::Owner`](crate::SyncMode::Owner)) keep their last values.
    OwnerChanged {
        /// The object.
        object: NetId,
        /// The new ownership.
        owned: bool,
    },
    /// The player of this client changed. See
    /// [`MirrorClient::local_player`](crate::MirrorClient::local_player).
    PlayerChanged {
        /// The new player.
        player: Option<NetId>,
    },
    /// A spawn failed. Further messages for the object are ignored.
    SpawnFailed {
        /// The object.
        object: NetId,
        /// Its asset id.
        asset_id: AssetId,
        /// Its scene id.
        scene_id: SceneId,
        /// The reason.
        reason: MirrorSpawnFailure,
    },
    /// A component read more or fewer bytes than the server wrote: the two sides have different
    /// fields. Reading continues at the next component, as far as its length byte determines the
    /// position.
    Mismatch(Box<PayloadMismatch>),
    /// A callback of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) returned an error or
    /// panicked. The remaining callbacks ran.
    CallbackFailed(Box<CallbackFailure>),
    /// A hook panicked. The fields have the received values; later hooks of the same component did
    /// not run.
    HookFailed(Box<HookFailure>),
    /// A call of the server panicked. Its effects until then remain.
    CallFailed(Box<CallFailure>),
    /// A user message.
    Message(ReceivedMessage),
    /// A reading of the caller's clock was more than 100 years after the reading before, or led beyond 500
    /// years. It counts as no time: the own time stands still for that update and continues from there.
    ClockLeap {
        /// Refused step.
        step: Duration,
    },
    /// A write to an owned object cannot be sent. It is sent again only after a further write. An
    /// unsendable unreliable delta is reported once per baseline, which contains the change and may
    /// be longer.
    Unsendable {
        /// The object.
        object: NetId,
        /// The error.
        error: Box<MirrorError>,
    },
}

impl MirrorClientEvent {
    /// Returns the changed fields of a `B`, for [`Changed`](Self::Changed); `None` for the remaining events.
    pub fn changed<B: NetworkBehaviour>(&self) -> Option<Changed<B>> {
        match self {
            Self::Changed {
                object,
                component,
                fields,
                ..
            } => Changed::new(*object, *component, *fields),
            _ => None,
        }
    }
}

/// A scene change requested by the server. Mirror, `SceneMessage`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneChange {
    /// The name or path of the scene.
    pub scene: String,
    /// The operation.
    pub operation: SceneOperation,
    /// The game loads the scene by custom code; Unity's `NetworkManager` does nothing then.
    pub custom_handling: bool,
}

/// Reason of a failed spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorSpawnFailure {
    /// No prefab has this asset id.
    #[error("no prefab has this asset id")]
    UnknownPrefab,
    /// No dormant scene object has this id:
    /// [`MirrorClient::add_scene_object`](crate::MirrorClient::add_scene_object).
    #[error("no dormant scene object has this id")]
    UnknownSceneObject,
    /// The object takes more memory than its batch has left of
    /// [`Limits::max_memory`](syncvar_runtime::Limits::max_memory), or than all objects have left of
    /// [`MirrorClientConfig::max_object_memory`](crate::MirrorClientConfig::max_object_memory).
    #[error("the object takes too much memory")]
    TooMuchMemory,
}

/// A component whose read length differs from the written length.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PayloadMismatch {
    /// The object.
    pub object: NetId,
    /// The position of the component.
    pub component: usize,
    /// The name of the behaviour; `None` if this client has fewer components.
    pub behaviour: Option<&'static str>,
    /// Bytes read.
    pub read: usize,
    /// Bytes written, as far as one byte determines the length; `None` beyond the end of the
    /// message.
    pub corrected: Option<usize>,
    /// The read error, if that was the cause.
    pub error: Option<ReadError>,
}
