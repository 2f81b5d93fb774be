//! Bytes on their way to the transport.

pub(super) mod chunks;
pub(super) mod recorder;
pub(super) mod transmit;

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::table::Table;

use crate::link::header_bytes::HeaderBytes;
use crate::server::outbound::chunks::ChunkStore;
use crate::server::outbound::recorder::Recorder;
use crate::server::sessions::connection::{Connection, QueuedChunks};

/// Bytes in transit, and the connections with a non-empty queue.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    /// Connections with bytes to transmit, each once.
    pub(super) outgoing: VecDeque<ConnectionId>,
    pub(super) store: ChunkStore,
    /// Header of the packet polled last.
    pub(super) header: HeaderBytes,
    /// Chunks of the packet polled last, if they were not adjacent in the store.
    pub(super) packet: Vec<Bytes>,
    pub(super) recorder: Recorder,
}

impl Outbound {
    /// Appends chunks of the store to a connection's queue. Its own messages go first: they were
    /// written earlier.
    #[inline]
    pub(super) fn queue(&mut self, connection: &mut Connection, chunks: QueuedChunks) {
        if chunks.chunks.is_empty() {
            return;
        }
        if connection.records() {
            let shared = self.store.get(&chunks.chunks);
            return self.recorder.add(connection, chunks.channel, shared);
        }
        connection.flush_own(&mut self.store);
        connection.queue.push_back(chunks);
        connection.list(&mut self.outgoing);
    }

    /// Stores chunks and appends them to a connection's queue.
    pub(super) fn send(&mut self, connection: &mut Connection, channel: u8, chunks: &[Bytes]) {
        connection.charge(chunks.iter().map(Bytes::len).sum());
        let chunks = self.add(channel, chunks.iter().cloned());
        self.queue(connection, chunks);
    }

    /// Stores chunks of this tick for the queues of connections.
    pub(super) fn add(&mut self, channel: u8, chunks: impl Iterator<Item = Bytes>) -> QueuedChunks {
        let chunks = self.store.add(chunks);
        let tick = self.store.tick;
        QueuedChunks {
            channel,
            tick,
            chunks,
        }
    }

    /// Drops sent chunks that no queue refers to, if the store has grown.
    pub(super) fn trim(&mut self, connections: &Table<Connection>) {
        let outgoing = &self.outgoing;
        self.store.trim(|| {
            let waiting = outgoing.iter().filter_map(|id| connections.get(id.0));
            let queued = waiting.flat_map(|connection| &connection.queue);
            queued.map(|queued| queued.chunks.start).min()
        });
    }
}
