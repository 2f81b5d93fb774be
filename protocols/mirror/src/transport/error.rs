//! `TransportError`: why a peer receives nothing.

use std::io;

use crate::MirrorError;

/// Why a [`MirrorPeer`](super::MirrorPeer) has received nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The connection is over: the server has closed it, or this side has.
    #[error("the connection is closed")]
    Closed,
    /// The connection is over: it has failed.
    #[error("the connection to the server has failed")]
    Io(#[from] io::Error),
    /// A packet made no sense. The connection is being closed.
    #[error("malformed packet from the server")]
    Malformed(#[from] MirrorError),
}
