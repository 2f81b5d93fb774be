//! `TransportError` and `Timeout`.

use std::io;

/// Reason for which a client has received no packet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError<E> {
    /// The connection is over: one side has closed it.
    #[error("the connection is closed")]
    Closed,
    /// The connection is over: it has failed.
    #[error("the connection to the server has failed: {0}")]
    Io(#[from] io::Error),
    /// The connection is over: the server was silent for too long.
    #[error(transparent)]
    Timeout(#[from] Timeout),
    /// A packet was malformed. The client decides whether the connection stands.
    #[error("malformed packet from the server: {0}")]
    Malformed(#[source] E),
}

/// Time limit of a client for its server.
///
/// An [`io::Error`] of the kind [`TimedOut`](io::ErrorKind::TimedOut) that `connect` returns has it as
/// its inner error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Timeout {
    /// No connection within the [`connect_timeout`](crate::TransportOptions::connect_timeout).
    #[error("no connection in time: no server answers at this address and port by this transport")]
    Connect,
    /// No packet within the [`handshake_timeout`](crate::TransportOptions::handshake_timeout).
    #[error("no answer from the server in time: another transport or protocol may use this port")]
    Handshake,
    /// No packet for the [`idle_timeout`](crate::TransportOptions::idle_timeout).
    #[error("the server was silent for too long")]
    Idle,
}

impl From<Timeout> for io::Error {
    fn from(timeout: Timeout) -> Self {
        Self::new(io::ErrorKind::TimedOut, timeout)
    }
}
