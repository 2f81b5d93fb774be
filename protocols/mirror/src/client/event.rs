//! What a client tells the application.

use syncvar_runtime::{CallFailure, CallbackFailure, ChangedFields, HookFailure, NetId, ReadError};

use crate::message::SceneOperation;
use crate::{AssetId, MirrorError, ReceivedMessage, SceneId};

/// Something that happened on the client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MirrorClientEvent {
    /// The transport has a connection. Mirror has no handshake: nothing else is to be waited for.
    Connected,
    /// The connection is over. The objects go now, each with its
    /// [`Despawned`](Self::Despawned).
    Disconnected {
        /// What was wrong, if it was this client that ended the connection.
        error: Option<Box<MirrorError>>,
    },
    /// The server wants a scene to be loaded or unloaded. What it sends from here on waits until
    /// [`MirrorClient::scene_loaded`](crate::MirrorClient::scene_loaded) is called. Mirror,
    /// `NetworkManager.OnClientChangeScene`.
    SceneChange(Box<SceneChange>),
    /// A burst of objects is complete: each of them has been [`Spawned`](Self::Spawned).
    Synchronized,
    /// The server sends no more changes until [`ready`](crate::MirrorClient::ready), and commands are
    /// refused. The objects stay as they are.
    NotReady,
    /// An object is there, with its state, and its callbacks have run.
    Spawned {
        /// Which.
        object: NetId,
    },
    /// The server has spawned an object that was there already. It has what was sent, and the hooks of what is
    /// different now have run.
    Respawned {
        /// Which.
        object: NetId,
    },
    /// Fields of an object have been received; the hooks of those that are different now have run.
    Changed {
        /// Which object.
        object: NetId,
        /// The position of the component on it.
        component: usize,
        /// Which fields.
        fields: ChangedFields,
    },
    /// An object is gone.
    Despawned {
        /// Which.
        object: NetId,
        /// Whether it still exists for others.
        hidden: bool,
    },
    /// This client has become the owner of an object, or is no longer.
    OwnerChanged {
        /// Which.
        object: NetId,
        /// Whether this client owns it now.
        owned: bool,
    },
    /// Another object is the player of this client, or none is any more. See
    /// [`MirrorClient::local_player`](crate::MirrorClient::local_player).
    PlayerChanged {
        /// Which.
        player: Option<NetId>,
    },
    /// An object of the server cannot be made here. What comes for it is passed over.
    SpawnFailed {
        /// Which.
        object: NetId,
        /// What names its prefab.
        asset_id: AssetId,
        /// What names it in the scene.
        scene_id: SceneId,
        /// Why.
        reason: MirrorSpawnFailure,
    },
    /// A component has read more or less than the server has written for it: the two sides do not have the
    /// same fields. What follows is read where the server says that it begins, as far as it can say so.
    Mismatch(Box<PayloadMismatch>),
    /// A callback of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) returned an error or panicked.
    /// Everything else went on.
    CallbackFailed(Box<CallbackFailure>),
    /// A hook panicked. The fields are as they should be; hooks that come after it on the same component
    /// have not run.
    HookFailed(Box<HookFailure>),
    /// A call of the server panicked. What it did until then stands.
    CallFailed(Box<CallFailure>),
    /// A message of the game.
    Message(ReceivedMessage),
    /// What this client has written to an object that it owns cannot be sent. It is not sent again until it
    /// is written again. Changes that travel unreliably are told of once, and then not before the next
    /// baseline, which has them and may be longer.
    Unsendable {
        /// Which.
        object: NetId,
        /// Why.
        error: Box<MirrorError>,
    },
}

/// What the server wants to be done with a scene. Mirror, `SceneMessage`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneChange {
    /// The name or the path of the scene.
    pub scene: String,
    /// What is to be done.
    pub operation: SceneOperation,
    /// Whether the game does it in a way of its own. Unity's `NetworkManager` does nothing then.
    pub custom_handling: bool,
}

/// Why an object of the server cannot be made on this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorSpawnFailure {
    /// No prefab has this asset id.
    #[error("no prefab has this asset id")]
    UnknownPrefab,
    /// No dormant scene object has this number:
    /// [`MirrorClient::add_scene_object`](crate::MirrorClient::add_scene_object).
    #[error("no dormant scene object has this number")]
    UnknownSceneObject,
}

/// A component that has not read what the server has written for it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PayloadMismatch {
    /// The object.
    pub object: NetId,
    /// The position of the component on it.
    pub component: usize,
    /// The name of the behaviour; none if this client has fewer components.
    pub behaviour: Option<&'static str>,
    /// How many bytes it has read.
    pub read: usize,
    /// How many it had, as far as one byte can say it; none if there are not so many.
    pub corrected: Option<usize>,
    /// What could not be read, if that is what was wrong.
    pub error: Option<ReadError>,
}
