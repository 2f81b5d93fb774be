//! `TransportError`.

use std::io;

/// Reason for which a client has received no packet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError<E> {
    /// The connection is over: one side has closed it.
    #[error("the connection is closed")]
    Closed,
    /// The connection is over: it has failed.
    #[error("the connection to the server has failed")]
    Io(#[from] io::Error),
    /// A packet was malformed. The client decides whether the connection stands.
    #[error("malformed packet from the server")]
    Malformed(#[source] E),
}
