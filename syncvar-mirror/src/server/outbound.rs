//! Packets and closed connections for the transport.

use std::collections::VecDeque;

use syncvar_runtime::ConnectionId;

use super::outbox::Packet;

/// Queues that the transport polls.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    /// Connections with packets, each once.
    pub(super) outgoing: VecDeque<ConnectionId>,
    /// Last packets of closed connections.
    pub(super) final_packets: VecDeque<(ConnectionId, Packet)>,
    /// Connections for the transport to close.
    pub(super) closing: VecDeque<ConnectionId>,
    /// Packet of the last poll, borrowed by its `MirrorTransmit`.
    pub(super) polled: Option<(ConnectionId, Packet)>,
}
