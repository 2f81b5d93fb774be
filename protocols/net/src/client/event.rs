//! `ClientEvent`: reports of a client to the application.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::message::RefusalReason;
use syncvar_runtime::ReceivedMessage;
use syncvar_runtime::{
    CallFailure, CallbackFailure, Called, Changed, ChangedFields, DisconnectReason, HookFailure,
    NetId, NetworkBehaviour, NetworkHash128, NetworkSceneId, ReadError, ReceivedEvent,
    SynchronizeFailure,
};

/// Command of a client that the server has not run: [`ClientEvent::CommandRefused`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedCommand {
    /// The object.
    pub object: NetId,
    /// Behaviour that declares the command, and the command. `None` if this client does not know the object any more.
    pub command: Option<(&'static str, &'static str)>,
    /// The reason.
    pub reason: RefusalReason,
    /// Number of the calls.
    pub calls: u32,
}

/// Report of a [`NetworkClient`](crate::NetworkClient), returned by
/// [`poll_event`](crate::NetworkClient::poll_event).
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// let mut spawned = Vec::new();
/// while let Some(event) = net.client_mut(0).poll_event() {
///     match event {
///         ClientEvent::Spawned { object } => spawned.push(object),
///         ClientEvent::Disconnected { reason } => panic!("{reason}"),
///         _ => {}
///     }
/// }
/// assert_eq!(spawned, [door]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// The server has a different build, whose schema has been resolved: see
    /// [`NetworkClient::resolution`](crate::NetworkClient::resolution) for the differences. Reported once per connection, before
    /// [`Connected`](Self::Connected).
    Resolved {
        /// Number of the differences.
        changes: usize,
    },
    /// Values of a server of a different build do not fit the types of this build. The fields keep their former values; an element
    /// of a collection became 0, or its entry was left out.
    Unfit {
        /// The object.
        object: NetId,
        /// Position of the behaviour on the object.
        behaviour: usize,
        /// Fields of the behaviour.
        fields: ChangedFields,
    },
    /// A message of a server of a different build does not fit its type in this build, and was dropped.
    UnfitMessage {
        /// Name of the message.
        message: String,
    },
    /// The server has accepted the connection. The objects of the last connection are gone.
    Connected,
    /// The client has returned to its session: it has its connection, its objects and its ownership.
    Returned {
        /// Whether the missing packets follow. Otherwise all visible objects follow, and
        /// [`Ready`](Self::Ready): a client without
        /// [`auto_ready`](crate::ClientConfig::auto_ready) asks for them.
        resumed: bool,
    },
    /// The server has refused the connection.
    Refused {
        /// Reason of the refusal.
        reason: DisconnectReason,
    },
    /// The connection has ended. The objects stay until the next connection, after a
    /// [return](Self::Returned) beyond it, or
    /// [`forget_objects`](crate::NetworkClient::forget_objects).
    Disconnected {
        /// Reason of the end.
        reason: DisconnectReason,
    },
    /// A message of the server's program: [`Prefabs::message`](syncvar_runtime::Prefabs::message).
    Message(ReceivedMessage),
    /// All objects that this client may see are spawned.
    Ready,
    /// The server sends no objects and updates until [`ready`](crate::NetworkClient::ready).
    NotReady,
    /// An object has been spawned with its state, and its callbacks have run. The objects of a burst are
    /// announced together at its end.
    Spawned {
        /// The object.
        object: NetId,
    },
    /// The object of a [predicted spawn](crate::NetworkClient::predict_spawn) has arrived, or will not come.
    PredictedSpawn {
        /// Id of the predicted object.
        predicted: NetId,
        /// The server's object; `None` without one.
        object: Option<NetId>,
    },
    /// Fields of an object have been received, and the hooks of the changed fields have run.
    Changed {
        /// The object.
        object: NetId,
        /// Position of the behaviour.
        behaviour: usize,
        /// Received fields.
        fields: ChangedFields,
    },
    /// The changes of a tick have been reported, as far as they have arrived. Ticks ascend; a tick without
    /// changes for this client may be missing.
    Tick {
        /// The tick, as in [`NetworkTime::tick`](syncvar_runtime::NetworkTime::tick).
        tick: u64,
        /// Whether the replicas hold all changes of this tick and of all earlier ones that the server has sent or
        /// owes this client, or newer values. A lost or late datagram, withheld changes and changes that a new or
        /// resumed connection lacks keep ticks incomplete until the repair has arrived.
        complete: bool,
        /// Whether a datagram between the last two reports has not been applied.
        after_gap: bool,
    },
    /// An object has been removed.
    Despawned {
        /// The object.
        object: NetId,
        /// Whether it still exists for other clients.
        hidden: bool,
    },
    /// This client has gained or lost ownership of an object.
    OwnerChanged {
        /// The object.
        object: NetId,
        /// Whether this client owns it now.
        owned: bool,
    },
    /// An object is the player of this client with a number, and owned by it:
    /// [`add_player`](crate::NetworkClient::add_player).
    Player {
        /// The number.
        number: i16,
        /// The object.
        object: NetId,
    },
    /// A message for an object was unreadable. The object keeps its values, some of them possibly new.
    /// Further updates are ignored, and the server has been asked for a snapshot.
    Poisoned {
        /// The object.
        object: NetId,
        /// Error of the read.
        error: ReadError,
    },
    /// A snapshot of a known object has arrived, after [`Poisoned`](Self::Poisoned) or
    /// [`NotReady`](Self::NotReady). The hooks of the fields that differ have run.
    Restored {
        /// The object.
        object: NetId,
    },
    /// The application has written to fields without permission. The server has been asked for a
    /// snapshot, which replaces the writes: [`Restored`](Self::Restored) reports its arrival.
    WriteRefused {
        /// The object.
        object: NetId,
        /// Position of the behaviour.
        behaviour: usize,
        /// Refused fields.
        fields: ChangedFields,
    },
    /// The server has not run commands of this client. The reports of an update are grouped; beyond 32 in an update the server
    /// sends none. A connection in UNet's framing has no reports, and neither has the local client of a host: there
    /// [`ServerEvent::CommandRefused`](crate::ServerEvent::CommandRefused) reports them.
    CommandRefused(Box<RefusedCommand>),
    /// The parent of an object has changed. The parent at spawn time is part of the snapshot.
    ParentChanged {
        /// The object.
        object: NetId,
        /// The new parent, possibly invisible to this client.
        parent: Option<NetId>,
    },
    /// All scene objects that this client may see are spawned. Reported before [`Ready`](Self::Ready),
    /// and when the server declares its scene complete
    /// ([`NetworkServer::scene_loaded`](crate::NetworkServer::scene_loaded)). Requires at least one scene
    /// object.
    SceneObjectsSpawned,
    /// A callback of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) has returned an error or panicked. The
    /// client continues.
    CallbackFailed(Box<CallbackFailure>),
    /// A hook has panicked. The field values are complete. Later hooks of the same behaviour have not
    /// run; hooks of other behaviours have.
    HookFailed(Box<HookFailure>),
    /// An [`on_synchronize`](syncvar_runtime::Synchronize::on_synchronize) could not read its data. The object is
    /// spawned nevertheless.
    SynchronizeFailed(Box<SynchronizeFailure>),
    /// An object has raised an event: see [`ReceivedEvent::arguments`].
    SyncEvent(ReceivedEvent),
    /// A call of the server, with [`Callbacks::Events`](syncvar_runtime::Callbacks::Events):
    /// [`NetworkClient::run_call`](crate::NetworkClient::run_call) runs it.
    Called(Called),
    /// A call of the server has panicked, or its arguments were unreadable. Its effects up to that point
    /// stay, and the object remains usable.
    CallFailed(Box<CallFailure>),
    /// This client cannot make an object of the server.
    SpawnFailed {
        /// The object.
        object: NetId,
        /// Asset id of its prefab; 0 if the server did not send one.
        asset_id: NetworkHash128,
        /// Reason of the failure.
        reason: SpawnFailure,
    },
    /// A reference whose target was [`Spawned`](Self::Spawned) after its holder resolves from now on: a
    /// received [`NetRef`](syncvar_runtime::NetRef) or [`BehaviourRef`](syncvar_runtime::BehaviourRef).
    ///
    /// It follows the `Spawned` of the target; in a burst, the `Spawned` of all objects of the burst. So a
    /// program that maps ids to its own objects at `Spawned`, and references at `Spawned`, `Changed` and this
    /// event, maps each reference in one pass over the events.
    ///
    /// A reference that was resolved before its target was hidden and shown again causes no event. The holder
    /// may have received another reference since.
    ReferenceResolved {
        /// Holder of the reference.
        object: NetId,
        /// Target of the reference.
        target: NetId,
    },
    /// A reading of the caller's clock was more than 100 years after the one before, or led beyond 500
    /// years. It counts as no time: the own time stands still for that update and continues from there.
    ClockLeap {
        /// Refused step.
        step: Duration,
    },
    /// The server has refused inputs of this client, because they were too far ahead of its time or beyond its rate:
    /// [`Limits::max_input_lead`](syncvar_runtime::Limits::max_input_lead) and
    /// [`Limits::input_rate`](syncvar_runtime::Limits::input_rate). At most one event per second.
    ///
    /// The client has corrected its input clock, and sends the inputs again as long as their ticks are to come. After a
    /// stall of either end a few of them are usual.
    InputsRefused {
        /// Number of refused inputs since the last event, each counted as often as it was sent.
        inputs: u64,
    },
    /// Early messages of an object have been dropped. The object has not arrived in time or cannot be
    /// made, a limit was exceeded, or the connection has ended. See
    /// [`ClientConfig::early_message_timeout`](crate::ClientConfig::early_message_timeout).
    EarlyMessagesDropped {
        /// The object.
        object: NetId,
        /// Number of dropped messages.
        messages: usize,
    },
}

impl ClientEvent {
    /// Returns the changed fields of a `B`, for [`Changed`](Self::Changed); `None` for any other event.
    pub fn changed<B: NetworkBehaviour>(&self) -> Option<Changed<B>> {
        match self {
            Self::Changed {
                object,
                behaviour,
                fields,
                ..
            } => Changed::new(*object, *behaviour, *fields),
            _ => None,
        }
    }
}

/// Reason why a client cannot make an object of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnFailure {
    /// The asset id belongs to no prefab.
    UnknownPrefab,
    /// The client holds [`ClientConfig::max_objects`](crate::ClientConfig::max_objects) objects.
    TooManyObjects,
    /// The object takes more memory than its packet has left of
    /// [`Limits::max_memory`](syncvar_runtime::Limits::max_memory), or than all objects have left of
    /// [`ClientConfig::max_object_memory`](crate::ClientConfig::max_object_memory).
    TooMuchMemory,
    /// The scene id belongs to no dormant object:
    /// [`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object). Adding the object
    /// asks the server for it again.
    UnknownSceneObject {
        /// Its scene id.
        scene_id: NetworkSceneId,
    },
    /// The dormant scene object has other behaviours.
    OtherBehaviours {
        /// Its scene id.
        scene_id: NetworkSceneId,
    },
}

impl fmt::Display for SpawnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPrefab => f.write_str("no prefab has this asset id"),
            Self::TooMuchMemory => f.write_str("the limits leave no memory for the object"),
            Self::TooManyObjects => {
                f.write_str("the client holds as many objects as the limit allows")
            }
            Self::UnknownSceneObject { scene_id } => {
                write!(f, "no dormant scene object has the number {}", scene_id.0)
            }
            Self::OtherBehaviours { scene_id } => {
                write!(f, "scene object {} has other behaviours", scene_id.0)
            }
        }
    }
}

impl Error for SpawnFailure {}

#[cfg(test)]
mod tests {
    use super::ClientEvent;

    #[test]
    fn event_is_no_larger_than_a_change_with_its_tick() {
        assert_eq!(size_of::<ClientEvent>(), 40);
    }
}
