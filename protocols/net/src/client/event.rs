//! What a client tells the application.

use crate::{
    CallFailure, CallbackFailure, ChangedFields, DisconnectReason, HookFailure, NetId,
    NetworkHash128, NetworkSceneId, ReadError, ReceivedEvent, SynchronizeFailure,
};

/// Something that happened on the client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// The server has let us in.
    Connected,
    /// The server has not let us in.
    Refused {
        /// Why.
        reason: DisconnectReason,
    },
    /// The connection is over. The objects stay as they are until the next connection, or
    /// [`forget_objects`](crate::NetworkClient::forget_objects).
    Disconnected {
        /// Why.
        reason: DisconnectReason,
    },
    /// Every object that this client may see has been spawned.
    Ready,
    /// The server sends no more objects and changes until [`ready`](crate::NetworkClient::ready).
    NotReady,
    /// An object is there, with its state, and its callbacks have run. Objects that come in one burst
    /// are announced when all of them are there.
    Spawned {
        /// Which.
        object: NetId,
    },
    /// Fields of an object have been received; the hooks of those that are different now have run.
    Changed {
        /// Which object.
        object: NetId,
        /// The position of the behaviour on it.
        behaviour: usize,
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
    /// A message for an object could not be read. It keeps what it has, some of it perhaps new, and
    /// ignores further updates; the server has been asked for all of it.
    Poisoned {
        /// Which.
        object: NetId,
        /// What could not be read.
        error: ReadError,
    },
    /// An object has been sent whole again, after [`Poisoned`](Self::Poisoned) or after
    /// [`NotReady`](Self::NotReady). No hook has run for what is different now.
    Restored {
        /// Which.
        object: NetId,
    },
    /// The application has written to fields that this client may not write. The server has been asked
    /// for the object, and its values take the place of what was written:
    /// [`Restored`](Self::Restored) tells when.
    WriteRefused {
        /// Which object.
        object: NetId,
        /// The position of the behaviour on it.
        behaviour: usize,
        /// Which fields.
        fields: ChangedFields,
    },
    /// An object is below another one now, or below none. What its parent is when it is spawned is part of
    /// its state.
    ParentChanged {
        /// Which.
        object: NetId,
        /// What it is below. This client may not see that.
        parent: Option<NetId>,
    },
    /// Every scene object that this client may see has been spawned: before [`Ready`](Self::Ready), and
    /// when the server says that its scene is complete
    /// ([`NetworkServer::scene_loaded`](crate::NetworkServer::scene_loaded)). Only where there are scene
    /// objects.
    SceneObjectsSpawned,
    /// A callback of [`NetworkLifecycle`](crate::NetworkLifecycle) returned an error or panicked.
    /// Everything else went on.
    CallbackFailed(Box<CallbackFailure>),
    /// A hook panicked. The fields are as they should be; hooks that come after it on the same
    /// behaviour have not run, those of other behaviours have.
    HookFailed(Box<HookFailure>),
    /// An [`on_synchronize`](crate::Synchronize::on_synchronize) could not read its data. The object is
    /// there all the same.
    SynchronizeFailed(Box<SynchronizeFailure>),
    /// An object has raised an event: see [`ReceivedEvent::arguments`].
    SyncEvent(ReceivedEvent),
    /// A call of the server panicked, or its arguments could not be read. What it did until then
    /// stands; the object is as good as before.
    CallFailed(Box<CallFailure>),
    /// An object of the server cannot be made here.
    SpawnFailed {
        /// Which.
        object: NetId,
        /// What names its prefab; 0 where the server does not say.
        asset_id: NetworkHash128,
        /// Why.
        reason: SpawnFailure,
    },
    /// An object has come that another one refers to: what a [`NetRef`](crate::NetRef) or
    /// [`BehaviourRef`](crate::BehaviourRef) gave nothing for since it was received gives the object
    /// now. Follows the [`Spawned`](Self::Spawned) of the target.
    ///
    /// Objects that come in one burst, before [`Ready`](Self::Ready), are all there when they are
    /// announced: there is no such event for a reference from one of them to another. Nor is there one
    /// for an object that is shown again, if the reference has been resolved before. The holder may
    /// have got another reference since: what this is about is what it once was sent.
    ReferenceResolved {
        /// The object that has the reference.
        object: NetId,
        /// The object that it refers to.
        target: NetId,
    },
    /// Messages that were held for an object that was not there have been dropped: it has not come in
    /// time, it cannot be made, there were too many, or the connection is over. See
    /// [`ClientConfig::hold_time`](crate::ClientConfig::hold_time).
    HeldDropped {
        /// Which.
        object: NetId,
        /// How many messages.
        messages: usize,
    },
}

/// Why an object of the server cannot be made on this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnFailure {
    /// No prefab has this asset id.
    #[error("no prefab has this asset id")]
    UnknownPrefab,
    /// [`ClientConfig::max_objects`](crate::ClientConfig::max_objects) are there already.
    #[error("there are as many objects as the limit allows")]
    TooManyObjects,
    /// No dormant scene object has this number:
    /// [`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object). If it is added, the
    /// server is asked for it again.
    #[error("no dormant scene object has the number {}", .scene_id.0)]
    UnknownSceneObject {
        /// Its number in the scene.
        scene_id: NetworkSceneId,
    },
    /// The scene object of this number has other behaviours here.
    #[error("scene object {} has other behaviours", .scene_id.0)]
    OtherBehaviours {
        /// Its number in the scene.
        scene_id: NetworkSceneId,
    },
}

#[cfg(test)]
mod tests {
    use super::ClientEvent;

    #[test]
    fn an_event_is_half_a_cache_line() {
        assert_eq!(size_of::<ClientEvent>(), 32);
    }
}
