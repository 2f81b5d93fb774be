//! Events of the server.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use syncvar_runtime::ReceivedMessage;
use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::{
    Called, Changed, ChangedFields, CommandRefusal, ConnectionId, DisconnectReason,
    LifecycleCallback, NetId, NetworkBehaviour, ReadError, ReceivedEvent, SynchronizeError,
    WriteError,
};

/// An event on the server.
///
/// ```
/// use syncvar::prelude::*;
///
/// let mut net = MemoryNetwork::pair(Prefabs::new);
/// net.settle();
/// let mut ready = Vec::new();
/// while let Some(event) = net.server.poll_event() {
///     match event {
///         ServerEvent::Ready { connection } => ready.push(connection),
///         ServerEvent::Disconnected { connection, owned, .. } => {
///             println!("{connection} has left {} objects", owned.len());
///         }
///         _ => {}
///     }
/// }
/// assert_eq!(ready, [net.connection(0)]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A connection waits for [`accept`](crate::NetworkServer::accept) or
    /// [`refuse`](crate::NetworkServer::refuse): see [`Admission::Decide`](crate::Admission::Decide).
    JoinRequested {
        /// The connection.
        connection: ConnectionId,
        /// Earlier connection, if the client returns to a session: the connection after the
        /// acceptance.
        returning: Option<ConnectionId>,
        /// Payload of the client; empty if it sent none.
        payload: Payload,
        /// Hash of the client's own schema: [`JoinRequest::schema_hash`](crate::JoinRequest::schema_hash).
        schema_hash: u64,
        /// Name of the client's build: [`JoinRequest::build`](crate::JoinRequest::build).
        build: String,
    },
    /// A connection was accepted: its client has the server's schema, or has resolved it.
    Connected {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection ended before it was accepted: the server refused it, or it left.
    Refused {
        /// The connection.
        connection: ConnectionId,
        /// The reason.
        reason: DisconnectReason,
    },
    /// A ready connection has lost its link, or its client was silent for the transport's idle timeout. It keeps its objects for
    /// [`reconnect_grace`](crate::ServerConfig::reconnect_grace); then it is
    /// [`Disconnected`](Self::Disconnected).
    Away {
        /// The connection.
        connection: ConnectionId,
    },
    /// The client of a connection has returned over another link.
    Returned {
        /// The connection, with its earlier number.
        connection: ConnectionId,
        /// Whether it receives the missing packets only. Otherwise it becomes ready again, and receives
        /// all visible objects.
        resumed: bool,
    },
    /// A connection is ready and has all visible objects.
    Ready {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection ended. Its objects have no owner now.
    Disconnected {
        /// The connection.
        connection: ConnectionId,
        /// The reason.
        reason: DisconnectReason,
        /// Objects that it owned.
        owned: Vec<NetId>,
    },
    /// A message of a client's program: [`Prefabs::message`](syncvar_runtime::Prefabs::message).
    Message {
        /// The connection.
        connection: ConnectionId,
        /// The message.
        message: ReceivedMessage,
    },
    /// A client asks for a player: [`set_player`](crate::NetworkServer::set_player) answers.
    AddPlayer {
        /// The connection.
        connection: ConnectionId,
        /// Number of the player.
        number: i16,
        /// Payload of the client.
        payload: Payload,
    },
    /// A client gives a player back.
    RemovePlayer {
        /// The connection.
        connection: ConnectionId,
        /// Number of the player.
        number: i16,
        /// Its object, which keeps its owner.
        object: Option<NetId>,
    },
    /// A connection sent a malformed message, which was ignored.
    Misbehaved {
        /// The connection.
        connection: ConnectionId,
        /// The error.
        error: ReadError,
    },
    /// An owner has written fields of its object.
    Written {
        /// The owner.
        connection: ConnectionId,
        /// The object.
        object: NetId,
        /// Index of the behaviour.
        behaviour: usize,
        /// The written fields.
        fields: ChangedFields,
    },
    /// A connection wrote to an object without owning it. The write was ignored.
    WriteIgnored {
        /// The connection.
        connection: ConnectionId,
        /// The object.
        object: NetId,
    },
    /// A check refused values that the owner of an object wrote. No field has changed, and the owner receives
    /// the server's values.
    CheckFailed {
        /// The connection.
        connection: ConnectionId,
        /// The object.
        object: NetId,
        /// Index of the behaviour.
        behaviour: usize,
        /// The fields with refused values.
        fields: ChangedFields,
    },
    /// The game wrote to fields that only the owner may write. The write was reverted.
    WriteRefused {
        /// The object.
        object: NetId,
        /// The fields.
        fields: ChangedFields,
    },
    /// A command of a connection was refused.
    CommandRefused {
        /// The connection.
        connection: ConnectionId,
        /// The object named by the command.
        object: NetId,
        /// Names of the behaviour and the command, if the command exists.
        command: Option<(&'static str, &'static str)>,
        /// The reason.
        reason: CommandRefusal,
    },
    /// A call panicked. Its effects until then remain.
    CallFailed {
        /// The connection that sent the command. None for a call of the server on itself.
        connection: Option<ConnectionId>,
        /// The object.
        object: NetId,
        /// Name of the behaviour.
        behaviour: &'static str,
        /// Name of the call.
        call: &'static str,
        /// Message of the panic.
        message: String,
    },
    /// The server raised an event for [`Everyone`](syncvar_runtime::Target::Everyone), itself included.
    SyncEvent(ReceivedEvent),
    /// A permitted command, or a call of the server on itself, with
    /// [`Callbacks::Events`](syncvar_runtime::Callbacks::Events):
    /// [`NetworkServer::run_call`](crate::NetworkServer::run_call) runs it.
    Called(Called),
    /// A value of an object cannot be encoded: a string of more than 32 767 bytes, for instance, or a
    /// list that exceeds a message. Its field stops and observers keep the last value; the other fields are
    /// sent. A snapshot has the prefab's value in its place. Without a field, the whole object stops.
    ///
    /// Reported once for each write of a value above a limit, once for a collection until it has been
    /// sent, and for each snapshot that fails. Any other error is tried and reported again with each change of
    /// the object.
    SerializeFailed {
        /// The object.
        object: NetId,
        /// Name of the behaviour, if known.
        behaviour: Option<&'static str>,
        /// Name of the field, if known.
        field: Option<&'static str>,
        /// The error.
        error: WriteError,
    },
    /// A callback of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) returned an error or panicked.
    /// The server continued.
    CallbackFailed {
        /// The object.
        object: NetId,
        /// Name of the behaviour.
        behaviour: &'static str,
        /// The callback.
        callback: LifecycleCallback,
        /// Message of the error or the panic.
        message: String,
    },
    /// An [`on_synchronize`](syncvar_runtime::Synchronize::on_synchronize) could not write its data. The
    /// object was sent without that data.
    SynchronizeFailed {
        /// The object.
        object: NetId,
        /// Name of the behaviour.
        behaviour: &'static str,
        /// The error.
        error: SynchronizeError,
    },
    /// A reading of the caller's clock was more than 100 years after the one before, or led beyond 500
    /// years. It counts as no time: the own time stands still for that update and continues from there.
    ClockLeap {
        /// Refused step.
        step: Duration,
    },
    /// The channel of a behaviour does not exist, so the behaviour is never sent.
    UnknownChannel {
        /// The object.
        object: NetId,
        /// Name of the behaviour.
        behaviour: &'static str,
        /// Its channel.
        channel: u8,
    },
}

impl ServerEvent {
    /// Returns the event for a value that cannot be encoded.
    pub(crate) fn serialize_failed(object: NetId, error: WriteError) -> Self {
        let (behaviour, place) = (error.behaviour(), error.field());
        let field = place.map(|place| place.rsplit_once('.').map_or(place, |(_, field)| field));
        tracing::warn!(%object, %error, "a value cannot be sent");
        Self::SerializeFailed {
            object,
            behaviour,
            field,
            error,
        }
    }

    /// Returns the fields of a `B` that an owner has written, for [`Written`](Self::Written); `None` for any other event.
    pub fn changed<B: NetworkBehaviour>(&self) -> Option<Changed<B>> {
        match self {
            Self::Written {
                object,
                behaviour,
                fields,
                ..
            } => Changed::new(*object, *behaviour, *fields),
            _ => None,
        }
    }
}

/// Error of a packet that was not handled completely.
///
/// ```
/// use syncvar::error::PacketError;
/// use syncvar::prelude::*;
///
/// let mut server = NetworkServer::new(Prefabs::new());
/// let error = server.handle_packet(ConnectionId(7), 0, &[]).unwrap_err();
/// assert!(matches!(error, PacketError::UnknownConnection(ConnectionId(7))));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PacketError {
    /// The connection does not exist, or is closing.
    UnknownConnection(ConnectionId),
    /// The server has no such channel.
    UnknownChannel(u8),
    /// The connection has sent more messages per second than
    /// [`Limits::message_rate`](syncvar_runtime::Limits::message_rate). The packet was not handled.
    TooManyMessages(ConnectionId),
    /// A message was malformed; the messages before it were handled.
    Malformed(ReadError),
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyMessages(connection) => write!(f, "too many messages of {connection}"),
            Self::UnknownConnection(connection) => write!(f, "{connection} is not connected"),
            Self::UnknownChannel(number) => write!(f, "no channel {number}"),
            Self::Malformed(error) => write!(f, "malformed packet: {error}"),
        }
    }
}

impl Error for PacketError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ReadError> for PacketError {
    fn from(error: ReadError) -> Self {
        Self::Malformed(error)
    }
}
