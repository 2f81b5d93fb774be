//! Packets and closed connections for the transport.

mod broadcast;

use std::collections::VecDeque;

use syncvar_runtime::{ConnectionId, Encoding, NetworkWriter};

use super::batches::chunk::MessageChunk;
use super::batches::outbox::QueuedBatch;
use super::sessions::Sessions;
use super::sessions::connection::Connection;

/// Queues that the transport polls, and memory for the time messages of a frame.
#[derive(Debug)]
pub(crate) struct Outbound {
    /// Connections with packets, each once.
    outgoing: VecDeque<ConnectionId>,
    /// Last packets of closed connections.
    final_packets: VecDeque<(ConnectionId, QueuedBatch)>,
    /// Connections for the transport to close.
    closing: VecDeque<ConnectionId>,
    /// Batch of the last poll, borrowed by its `MirrorTransmit`.
    polled: Option<(ConnectionId, QueuedBatch)>,
    chunk: MessageChunk,
    /// Memory for a message.
    written: NetworkWriter,
}

impl Default for Outbound {
    fn default() -> Self {
        Self {
            outgoing: VecDeque::new(),
            final_packets: VecDeque::new(),
            closing: VecDeque::new(),
            polled: None,
            chunk: MessageChunk::default(),
            written: NetworkWriter::with_encoding(Encoding::Mirror),
        }
    }
}

impl Outbound {
    /// Queues a connection with packets.
    pub(crate) fn queue(&mut self, id: ConnectionId, connection: &mut Connection) {
        if !connection.is_outgoing && !connection.outbox.is_empty() {
            connection.is_outgoing = true;
            self.outgoing.push_back(id);
        }
    }

    /// Closes a connection after its complete packets.
    pub(crate) fn close(&mut self, id: ConnectionId, connection: &mut Connection) {
        while let Some(packet) = connection.outbox.pop() {
            self.final_packets.push_back((id, packet));
        }
        self.closing.push_back(id);
    }

    /// Forgets a connection that the transport has closed.
    pub(crate) fn remove(&mut self, id: ConnectionId) {
        self.final_packets.retain(|(closed, _)| *closed != id);
        self.closing.retain(|closing| *closing != id);
    }

    /// Returns the next packet; the reference lasts until the next call.
    pub(crate) fn poll(&mut self, sessions: &mut Sessions) -> Option<(ConnectionId, &QueuedBatch)> {
        self.polled = match self.final_packets.pop_front() {
            Some(packet) => Some(packet),
            None => self.next_packet(sessions),
        };
        self.polled.as_ref().map(|(id, packet)| (*id, packet))
    }

    fn next_packet(&mut self, sessions: &mut Sessions) -> Option<(ConnectionId, QueuedBatch)> {
        loop {
            let id = *self.outgoing.front()?;
            if let Some(connection) = sessions.get_mut(id) {
                if let Some(packet) = connection.outbox.pop() {
                    return Some((id, packet));
                }
                connection.is_outgoing = false;
            }
            self.outgoing.pop_front();
        }
    }

    pub(crate) fn poll_close(&mut self) -> Option<ConnectionId> {
        self.closing.pop_front()
    }
}
