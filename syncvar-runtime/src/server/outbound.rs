//! Bytes on their way to the transport.

use std::collections::VecDeque;

use bytes::Bytes;

use super::ConnectionId;
use super::stock::Stock;

/// Chunks in transit, and the connections with a non-empty queue.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    /// Connections with bytes to transmit, each once.
    pub(super) outgoing: VecDeque<ConnectionId>,
    pub(super) chunks: Stock,
    /// Chunks of the packet polled last, if they were not adjacent in the store.
    pub(super) packet: Vec<Bytes>,
}
