//! `SendQueue`: bytes for one connection on their way to the transport.

use std::collections::VecDeque;
use std::ops::Range;

use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{Counter, NetworkWriter};

use crate::Framing;
use crate::server::chunk_store::ChunkStore;

/// Chunks in the store that wait for a connection, and their channel.
#[derive(Clone, Debug)]
pub(crate) struct QueuedChunks {
    pub(crate) channel: u8,
    /// Tick of their update.
    pub(crate) tick: u32,
    pub(crate) chunks: Range<u64>,
}

/// Bytes for one connection on their way to the transport.
#[derive(Debug)]
pub(crate) struct SendQueue {
    /// Messages for this connection alone, on channel 0, behind the chunks.
    pub(crate) direct: Segments,
    /// Chunks to transmit, oldest first. All channels share one queue, so that no snapshot overtakes
    /// an earlier delta.
    pub(crate) chunks: VecDeque<QueuedChunks>,
    /// Whether the server's list of outgoing connections contains the connection.
    pub(crate) listed: bool,
    /// Packets to the transport.
    pub(crate) sent: Counter,
}

impl SendQueue {
    /// Returns an empty queue for packets of a size.
    pub(crate) fn new(packet_size: usize) -> Self {
        Self {
            direct: Framing::Unet.segments(packet_size),
            chunks: VecDeque::new(),
            listed: false,
            sent: Counter::default(),
        }
    }

    /// Appends the messages for this connection alone to the chunks.
    #[inline]
    pub(crate) fn flush(&mut self, store: &mut ChunkStore) {
        if !self.direct.is_empty() {
            let (channel, tick) = (0, store.tick);
            let chunks = store.add(self.direct.drain());
            self.chunks.push_back(QueuedChunks {
                channel,
                tick,
                chunks,
            });
        }
    }

    /// Writes messages for this connection alone. Returns their length. `None` if a value cannot be encoded.
    pub(crate) fn write(&mut self, write: &dyn Fn(&mut NetworkWriter)) -> Option<usize> {
        let writer = self.direct.begin();
        write(writer);
        if writer.take_error().is_some() {
            self.direct.give_up();
            return None;
        }
        Some(self.direct.commit())
    }

    /// Drops all unsent bytes.
    pub(crate) fn clear(&mut self) {
        self.direct.drain().for_each(drop);
        self.chunks.clear();
    }

    /// Returns whether there are unsent bytes.
    pub(crate) fn is_unsent(&self) -> bool {
        !self.direct.is_empty() || !self.chunks.is_empty()
    }

    /// Returns the unsent bytes.
    pub(crate) fn unsent(&self, store: &ChunkStore) -> Counter {
        let mut unsent = Counter::default();
        let chunks = self.chunks.iter().flat_map(|queued| queued.chunks.clone());
        chunks.for_each(|chunk| unsent.add(store.length(chunk)));
        if !self.direct.is_empty() {
            unsent.add(self.direct.as_bytes().len());
        }
        unsent
    }
}
