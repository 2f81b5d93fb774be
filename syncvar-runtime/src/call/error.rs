//! Errors of calls: on the calling side, and on the called server.

use crate::{ConnectionId, NetId, ReadError, WriteError};

/// A call that was not sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server has not let this client in, or the connection is over.
    #[error("there is no connection to the server")]
    NotConnected,
    /// The server has made this client not ready: it takes no commands. Only in Mirror.
    #[error("this client is not ready")]
    NotReady,
    /// There is no such object here.
    #[error("there is no object {0}")]
    UnknownObject(NetId),
    /// No behaviour of the object is of this type or has it as its base.
    #[error("object {object} has no behaviour {behaviour}")]
    NoSuchBehaviour {
        /// The object.
        object: NetId,
        /// The behaviour that was asked for.
        behaviour: &'static str,
    },
    /// Only the owner of the object may call this command.
    #[error("object {0} is not owned by this client: only its owner may call this")]
    NotOwner(NetId),
    /// The receiver is the owner, and no connection owns the object.
    #[error("object {0} is owned by no connection")]
    NoOwner(NetId),
    /// A receiver does not observe the object.
    #[error("{connection} does not observe object {object}")]
    NotObserved {
        /// The object.
        object: NetId,
        /// The connection.
        connection: ConnectionId,
    },
    /// There is no such channel.
    #[error("there is no channel {0}")]
    UnknownChannel(u8),
    /// The call names its receiver itself, and another one was given as well.
    #[error("this call names its receiver: `to` cannot name another")]
    TargetGiven,
    /// UNet's bytes cannot tell this call from another one of the object: it has two behaviours of
    /// one class, and the call would run on the first.
    #[error(
        "in the bytes of UNet this call cannot be told from one of another behaviour of the object"
    )]
    Ambiguous,
    /// An argument has no form on the wire, or all of them are too long for one message.
    #[error("the arguments cannot be sent: {0}")]
    Unsendable(#[from] WriteError),
}

/// Why a server has not run a command of a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandRefusal {
    /// There is no such object, or the connection does not see it.
    #[error("there is no such object, or the connection does not see it")]
    UnknownObject,
    /// The object has no such command.
    #[error("the object has no such command")]
    UnknownCall,
    /// Only the owner of the object may call it.
    #[error("the connection does not own the object")]
    NotOwner,
    /// The call exceeds its rate.
    #[error("it came more often than the rate allows")]
    TooOften,
    /// Its arguments could not be read.
    #[error("its arguments could not be read: {0}")]
    Malformed(ReadError),
}
