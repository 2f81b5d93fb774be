//! Events of the server.

use std::time::Duration;

use syncvar_runtime::{
    Changed, ChangedFields, CommandRefusal, ConnectionId, DisconnectReason, LifecycleCallback,
    NetId, NetworkBehaviour, ReadError, WriteError,
};

use crate::{MirrorError, ReceivedMessage};

/// An event of a [`MirrorServer`](crate::MirrorServer).
///
/// ```
/// use syncvar::mirror::{Limits, MirrorPrefabs, MirrorServer, MirrorServerEvent};
///
/// let mut server = MirrorServer::new(MirrorPrefabs::new());
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// server.handle_disconnect(connection);
/// let mut log = Vec::new();
/// while let Some(event) = server.poll_event() {
///     match event {
///         MirrorServerEvent::Connected { .. } => log.push("connected"),
///         MirrorServerEvent::AddPlayerRequested { .. } => log.push("add_player goes here"),
///         MirrorServerEvent::Disconnected { .. } => log.push("disconnected"),
///         _ => {}
///     }
/// }
/// assert_eq!(log, ["connected", "disconnected"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MirrorServerEvent {
    /// A connection needs authentication, by user messages
    /// ([`allow_unauthenticated`](crate::MirrorServer::allow_unauthenticated)). The game then
    /// [accepts](crate::MirrorServer::accept) or [disconnects](crate::MirrorServer::disconnect) it.
    /// Only with [`MirrorServerConfig::authenticate`](crate::MirrorServerConfig::authenticate).
    Connecting {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection is accepted.
    Connected {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection has become ready.
    Ready {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection without a player requests one: see
    /// [`add_player`](crate::MirrorServer::add_player). A connection has at most one unpolled
    /// request.
    AddPlayerRequested {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection has ended, and its objects are despawned.
    Disconnected {
        /// The connection.
        connection: ConnectionId,
        /// The reason.
        reason: DisconnectReason<MirrorError>,
        /// Its player.
        player: Option<NetId>,
    },
    /// A user message ([`MirrorPrefabs::message`](crate::MirrorPrefabs::message)).
    Message {
        /// The sender.
        connection: ConnectionId,
        /// The message.
        message: ReceivedMessage,
    },
    /// A command was refused.
    CommandRefused {
        /// The caller.
        connection: ConnectionId,
        /// The object named in the command.
        object: NetId,
        /// Names of the behaviour and the command, if known.
        command: Option<(&'static str, &'static str)>,
        /// The reason.
        reason: CommandRefusal,
    },
    /// A write to an object was refused. The fields of the object are unchanged.
    StateRefused {
        /// The writer.
        connection: ConnectionId,
        /// The object named in the message.
        object: NetId,
        /// The reason.
        reason: StateRefusal,
    },
    /// The owner of an object has written a component.
    Written {
        /// The owner.
        connection: ConnectionId,
        /// The object.
        object: NetId,
        /// The position of the component.
        component: usize,
        /// The written fields.
        fields: ChangedFields,
    },
    /// A call panicked. Its effects until then remain.
    CallFailed {
        /// The caller of a command; `None` for a call of the server on itself.
        connection: Option<ConnectionId>,
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// The name of the call.
        call: &'static str,
        /// The panic message.
        message: String,
    },
    /// A hook for a write of the owner panicked.
    HookFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// The panic message.
        message: String,
    },
    /// A callback of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) returned an error or
    /// panicked. The remaining callbacks ran.
    CallbackFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// The callback.
        callback: LifecycleCallback,
        /// Text of the error or panic.
        message: String,
    },
    /// A value has no encoding.
    ///
    /// A [`SyncVar`](syncvar_runtime::SyncVar) stops alone: observers keep its last value, the remaining
    /// fields travel on, and the first value that fits is sent. A new observer receives the value of the
    /// prefab. Reported once for each write of the field and for each spawn.
    ///
    /// A collection with such an element stops the object, because a snapshot announces the
    /// number of pending operations, and the client skips as many of the next operations. Its changes stay dirty,
    /// and the next change of the object tries again, failed spawns included. The same holds for a
    /// behaviour with an [own layout](syncvar_runtime::BehaviourInfo::own_layout()).
    SerializeFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// The name of the field, if known.
        field: Option<&'static str>,
        /// The error.
        error: WriteError,
    },
    /// A reading of the caller's clock was more than 100 years after the reading before, or led beyond 500
    /// years. It counts as no time: the own time stands still for that update and continues from there.
    ClockLeap {
        /// Refused step.
        step: Duration,
    },
    /// A message is longer than the transport of a connection carries, and was not sent there. An
    /// oversized delta is sent to none: it stays dirty, and the next change of the object tries
    /// again, failed spawns included. Oversized unreliable deltas are reported once per baseline,
    /// which contains them and may be longer. An oversized baseline is tried again when the next
    /// one is due.
    TooLong {
        /// The object.
        object: NetId,
        /// The behaviour with the longest field.
        behaviour: Option<&'static str>,
        /// The longest field of the object.
        field: Option<&'static str>,
        /// The receiver, if it is a single connection.
        connection: Option<ConnectionId>,
        /// The length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

impl MirrorServerEvent {
    /// Returns the fields of a `B` that an owner has written, for [`Written`](Self::Written); `None` for the remaining events.
    pub fn changed<B: NetworkBehaviour>(&self) -> Option<Changed<B>> {
        match self {
            Self::Written {
                object,
                component,
                fields,
                ..
            } => Changed::new(*object, *component, *fields),
            _ => None,
        }
    }
}

/// The reason of a refused write.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateRefusal {
    /// Unknown object.
    #[error("there is no such object")]
    UnknownObject,
    /// The connection does not own the object.
    #[error("the connection does not own the object")]
    NotOwner,
    /// Malformed message; the connection is closed.
    #[error("malformed: {0}")]
    Malformed(ReadError),
}
