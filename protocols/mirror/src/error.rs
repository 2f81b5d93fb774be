//! What ends a connection.

use syncvar_runtime::{ReadError, WriteError};

use crate::batch::BatchError;

/// Why a connection is closed, or why something cannot be sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// What came is no batch of messages.
    #[error("malformed batch: {0}")]
    Batch(#[from] BatchError),
    /// A message is too short for the number that says what it is.
    #[error("a message of {length} bytes has no id")]
    NoMessageId {
        /// How long it is.
        length: usize,
    },
    /// A message of a type that is not known, or that the other side may not send.
    #[error("message {id} is unknown")]
    UnknownMessage {
        /// The hash of the type's name.
        id: u16,
    },
    /// A message that may not be sent before the connection is let in.
    #[error("message {id} came before the connection was accepted")]
    NotAuthenticated {
        /// The hash of the type's name.
        id: u16,
    },
    /// A message could not be read.
    #[error("malformed {message}: {error}")]
    Message {
        /// The full .NET name of its type.
        message: &'static str,
        /// What is wrong, and where in the message.
        #[source]
        error: ReadError,
    },
    /// A message could not be written: something in it is longer than it can be.
    #[error("cannot write {message}: {error}")]
    Unwritable {
        /// The full .NET name of its type.
        message: &'static str,
        /// What is wrong.
        #[source]
        error: WriteError,
    },
    /// A message is longer than the transport can carry.
    #[error("a message of {length} bytes does not fit the {limit} that the transport carries")]
    TooLong {
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
    /// What the other side sent is valid, but more than the configuration allows.
    #[error("more than {limit} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
    /// There is no such connection, or it is closed already.
    #[error("there is no such connection")]
    NoSuchConnection,
}
