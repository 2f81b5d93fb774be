//! What a server tells the game.

use syncvar_runtime::{ConnectionId, LifecycleCallback, NetId, ReadError, WriteError};

use crate::{MirrorError, ReceivedMessage};

/// Something that happened on a [`MirrorServer`](crate::MirrorServer).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MirrorServerEvent {
    /// A connection wants to be let in: it is asked who it is, by messages of the game's own
    /// ([`allow_unauthenticated`](crate::MirrorServer::allow_unauthenticated)). Then it is
    /// [accepted](crate::MirrorServer::accept) or [disconnected](crate::MirrorServer::disconnect). Only if
    /// the [configuration](crate::MirrorServerConfig::authenticate) asks for it.
    Connecting {
        /// Which.
        connection: ConnectionId,
    },
    /// A connection is in.
    Connected {
        /// Which.
        connection: ConnectionId,
    },
    /// A connection has become ready.
    Ready {
        /// Which.
        connection: ConnectionId,
    },
    /// A connection that has no player asks for one: see [`add_player`](crate::MirrorServer::add_player).
    /// There is no second one of a connection before this one has been polled.
    AddPlayerRequested {
        /// Which.
        connection: ConnectionId,
    },
    /// A connection is gone, and so is what it owned.
    Disconnected {
        /// Which.
        connection: ConnectionId,
        /// Why.
        reason: DisconnectReason,
        /// What its player was.
        player: Option<NetId>,
    },
    /// A message of the game's own
    /// ([`MirrorPrefabs::message`](crate::MirrorPrefabs::message)).
    Message {
        /// Who has sent it.
        connection: ConnectionId,
        /// What it is.
        message: ReceivedMessage,
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
    /// A connection has written to an object and was not let. Nothing was changed, but for what could be
    /// read of something [malformed](StateRefusal::Malformed): that stays, and all others are sent it.
    StateRefused {
        /// Which connection.
        connection: ConnectionId,
        /// The object that it named.
        object: NetId,
        /// Why not.
        reason: StateRefusal,
    },
    /// The owner of an object has written to it.
    Written {
        /// The owner.
        connection: ConnectionId,
        /// The object.
        object: NetId,
        /// The positions of the components, as bits.
        components: u64,
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
    /// A hook panicked, of what the owner of an object had written.
    HookFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// What the panic said.
        message: String,
    },
    /// A callback of [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) returned an error or
    /// panicked. Everything else went on.
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
    /// A value of an object has no form on the wire. Nothing of the object was sent; what was dirty
    /// still is, and the next change of the object tries again; also to show it to those who were to be
    /// shown it.
    SerializeFailed {
        /// The object.
        object: NetId,
        /// The name of the behaviour.
        behaviour: &'static str,
        /// The name of the field, where one is to blame.
        field: Option<&'static str>,
        /// What was wrong.
        error: WriteError,
    },
    /// A message is longer than the transport of some connection carries; it was not sent to it. Of an
    /// object's changes that is true for all: what was dirty still is, and the next change of the object
    /// tries again; also to show it to those who were to be shown it. Changes that travel unreliably are told
    /// of once, and then not before the next baseline, which has them and may be longer; one that is too
    /// long itself is tried again when the next one is due.
    TooLong {
        /// The object that it was about.
        object: NetId,
        /// The connection, if it was for one alone.
        connection: Option<ConnectionId>,
        /// How long it was, in bytes.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// The game has asked for it.
    #[error("disconnected")]
    Requested,
    /// The transport has lost it, or the client has left.
    #[error("the connection was lost")]
    ConnectionLost,
    /// It has sent what cannot be handled, or has taken too little of what it was sent.
    #[error("refused: {0}")]
    Refused(MirrorError),
}

/// Why a server has not run a command of a client. None of these ends the connection, as in Mirror.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandRefusal {
    /// The connection is not ready.
    #[error("the connection is not ready")]
    NotReady,
    /// There is no such object.
    #[error("there is no such object")]
    UnknownObject,
    /// The object has no component at this position.
    #[error("the object has no component {0}")]
    UnknownComponent(u8),
    /// The component has no command with this hash.
    #[error("the component has no command with the hash {0}")]
    UnknownCommand(u16),
    /// Only the owner of the object may call it.
    #[error("the connection does not own the object")]
    NotOwner,
    /// It came more often than the rate allows.
    #[error("it came more often than the rate allows")]
    TooOften,
}

/// Why a server has not taken what a client has written to an object.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateRefusal {
    /// There is no such object.
    #[error("there is no such object")]
    UnknownObject,
    /// The connection does not own the object.
    #[error("the connection does not own the object")]
    NotOwner,
    /// It could not be read; the connection is closed.
    #[error("it could not be read: {0}")]
    Malformed(ReadError),
}
