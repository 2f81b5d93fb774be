//! Errors of connections and messages.

use syncvar_runtime::{ReadError, WriteError};

use crate::batch::BatchError;

/// Error that ends a connection, or that prevents a send.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// The bytes do not form a batch of messages.
    #[error("malformed batch: {0}")]
    Batch(#[from] BatchError),
    /// A message is too short for an id.
    #[error("a message of {length} bytes has no id")]
    NoMessageId {
        /// Its length.
        length: usize,
    },
    /// The message type is unknown, or not allowed from this side.
    #[error("message {id} is unknown")]
    UnknownMessage {
        /// Hash of the type's name.
        id: u16,
    },
    /// The message needs authentication first.
    #[error("message {id} came before the connection was accepted")]
    NotAuthenticated {
        /// Hash of the type's name.
        id: u16,
    },
    /// A message is malformed.
    #[error("malformed {message}: {error}")]
    Message {
        /// Full .NET name of its type.
        message: &'static str,
        /// The read error, with its position in the message.
        #[source]
        error: ReadError,
    },
    /// A message lacks an encoding: a part of the message is too long.
    #[error("cannot write {message}: {error}")]
    Unwritable {
        /// Full .NET name of its type.
        message: &'static str,
        /// The write error.
        #[source]
        error: WriteError,
    },
    /// A message is longer than the transport carries.
    #[error("a message of {length} bytes exceeds the transport limit of {limit}")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A client has sent more messages per second than
    /// [`Limits::message_rate`](syncvar_runtime::Limits::message_rate).
    #[error("too many messages per second")]
    TooManyMessages,
    /// A valid demand of the remote end exceeds a configured limit.
    #[error("more than {limit} {what}")]
    TooMuch {
        /// The limited quantity.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The connection is unknown or closed.
    #[error("unknown connection")]
    NoSuchConnection,
}
