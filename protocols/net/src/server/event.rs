//! What a server tells the game.

use crate::ConnectionId;
use crate::{
    ChangedFields, CommandRefusal, DisconnectReason, LifecycleCallback, NetId, ReadError,
    ReceivedEvent, SynchronizeError, WriteError,
};

/// Something that happened on the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A connection is in: its schema is ours.
    Connected {
        /// Which.
        connection: ConnectionId,
    },
    /// A connection ended before it was let in: it was refused and has been told why, or it left.
    Refused {
        /// Which.
        connection: ConnectionId,
        /// Why.
        reason: DisconnectReason,
    },
    /// A connection is ready and has been given all objects that it may see.
    Ready {
        /// Which.
        connection: ConnectionId,
    },
    /// A connection is gone. Objects that it owned have no owner now.
    Disconnected {
        /// Which.
        connection: ConnectionId,
        /// Why.
        reason: DisconnectReason,
        /// What it owned.
        owned: Vec<NetId>,
    },
    /// A connection sent something that makes no sense. The message was ignored.
    Misbehaved {
        /// Which.
        connection: ConnectionId,
        /// What was wrong.
        error: ReadError,
    },
    /// The owner of an object has written to it.
    Written {
        /// The owner.
        connection: ConnectionId,
        /// The object.
        object: NetId,
        /// The position of the behaviour on it.
        behaviour: usize,
        /// Which fields.
        fields: ChangedFields,
    },
    /// A connection has written to an object that it does not own, or no longer. Nothing was changed.
    WriteIgnored {
        /// Which.
        connection: ConnectionId,
        /// The object.
        object: NetId,
    },
    /// The game has written to fields that only the connection that owns the object writes. They are
    /// what they were.
    WriteRefused {
        /// The object.
        object: NetId,
        /// Which fields.
        fields: ChangedFields,
    },
    /// A connection has called a command that was not run.
    CommandRefused {
        /// Which connection.
        connection: ConnectionId,
        /// The object that it named.
        object: NetId,
        /// The name of the behaviour and that of the command, if there is such a command.
        command: Option<(&'static str, &'static str)>,
        /// Why not.
        reason: CommandRefusal,
    },
    /// A call panicked. What it did until then stands.
    CallFailed {
        /// The connection that called a command; none for what the server called on itself.
        connection: Option<ConnectionId>,
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// The name of the call.
        call: &'static str,
        /// What the panic said.
        message: String,
    },
    /// The server has raised an event for [`Everyone`](crate::Target::Everyone): itself, too.
    SyncEvent(ReceivedEvent),
    /// A value of an object has no form on the wire. Nothing of the object was sent; what was dirty
    /// still is, and the next change of the object tries again.
    SerializeFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour, where one is to blame.
        behaviour: Option<&'static str>,
        /// The name of the field, where one is to blame.
        field: Option<&'static str>,
        /// What was wrong.
        error: WriteError,
    },
    /// A callback of [`NetworkLifecycle`](crate::NetworkLifecycle) returned an error or panicked.
    /// Everything else went on.
    CallbackFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// Which callback.
        callback: LifecycleCallback,
        /// What the error or the panic said.
        message: String,
    },
    /// An [`on_synchronize`](crate::Synchronize::on_synchronize) could not write its data. The object
    /// was sent without it.
    SynchronizeFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// What was wrong.
        error: SynchronizeError,
    },
    /// A behaviour is on a channel that the server does not have; it will never be sent.
    UnknownChannel {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// Its channel.
        channel: u8,
    },
}

/// A packet that could not be handled, in whole or in part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PacketError {
    /// There is no such connection, or it is being closed.
    #[error("{0} is not connected")]
    UnknownConnection(ConnectionId),
    /// A message made no sense; the messages before it were handled.
    #[error("malformed packet: {0}")]
    Malformed(#[from] ReadError),
}
