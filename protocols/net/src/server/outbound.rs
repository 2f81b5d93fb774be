//! Bytes on their way to the transport.

pub(super) mod chunks;
mod datagrams;
mod describe;
mod direct;
mod greeting;
pub(super) mod recorder;
mod recording;
pub(super) mod transmit;

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::table::Table;

use crate::link::header_bytes::HeaderBytes;
use crate::link::sender::ChunkRef;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::{Entry, Frames};
use crate::server::outbound::chunks::ChunkStore;
use crate::server::outbound::recorder::Recorder;
use crate::server::sessions::connection::{Connection, QueuedChunks};

/// Bytes in transit, and the connections with a non-empty queue.
#[derive(Debug, Default)]
pub(crate) struct Outbound {
    /// Connections with bytes to transmit, each once.
    pub(crate) outgoing: VecDeque<ConnectionId>,
    pub(crate) store: ChunkStore,
    /// Header of the packet polled last.
    pub(crate) header: HeaderBytes,
    /// Chunks of the packet polled last, if they were not adjacent in the store.
    pub(crate) packet: Vec<Bytes>,
    pub(crate) recorder: Recorder,
}

impl Outbound {
    /// Appends chunks of the store to a connection's queue. Its own messages go first: they were
    /// written earlier.
    #[inline]
    pub(crate) fn queue(&mut self, connection: &mut Connection, chunks: QueuedChunks) {
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

    /// Appends the chunks of a frame to the datagrams of a connection; longer ones take the stream, or wait.
    pub(super) fn queue_frame(
        &mut self,
        connection: &mut Connection,
        (frames, chunks, queued): (&Frames, &[Bytes], &QueuedChunks),
    ) {
        let (channel, tick) = (queued.channel, queued.tick);
        for (number, chunk) in queued.chunks.clone().zip(chunks) {
            let Some(datagrams) = &mut connection.datagrams else {
                return;
            };
            if datagrams.sender.is_detached() {
                return;
            }
            if datagrams.carries(chunk.len()) {
                let record = ChunkRef { number, tick };
                datagrams.queue.push_frame(channel, number, record);
                continue;
            }
            let entries = frames.entries(number);
            if entries.iter().all(|it| datagrams.may_send_long(it.net_id)) {
                datagrams.note_long(entries, tick);
                let chunks = number..number + 1;
                self.queue(
                    connection,
                    QueuedChunks {
                        channel,
                        tick,
                        chunks,
                    },
                );
            } else {
                datagrams.queue.partial = true;
                datagrams.withhold(tick, number);
            }
        }
    }

    /// Appends a chunk with entries for a connection alone to its datagrams; a longer one takes the stream.
    pub(super) fn queue_own(
        &mut self,
        (connection, datagrams): (&mut Connection, &mut Datagrams),
        channel: u8,
        chunk: Bytes,
        entries: &[Entry],
    ) {
        let length = chunk.len();
        let queued = self.add(channel, std::iter::once(chunk));
        if datagrams.carries(length) {
            datagrams
                .queue
                .push_own(channel, queued.chunks.start, entries);
        } else {
            datagrams.note_long(entries, queued.tick);
            self.queue(connection, queued);
        }
    }

    /// Stores chunks and appends them to a connection's queue.
    pub(crate) fn send(&mut self, connection: &mut Connection, channel: u8, chunks: &[Bytes]) {
        connection.charge(chunks.iter().map(Bytes::len).sum());
        let chunks = self.add(channel, chunks.iter().cloned());
        self.queue(connection, chunks);
    }

    /// Stores chunks of this tick for the queues of connections.
    pub(crate) fn add(&mut self, channel: u8, chunks: impl Iterator<Item = Bytes>) -> QueuedChunks {
        let chunks = self.store.add(chunks);
        let tick = self.store.tick;
        QueuedChunks {
            channel,
            tick,
            chunks,
        }
    }

    /// Drops sent chunks that no queue refers to, if the store has grown.
    pub(crate) fn trim(&mut self, connections: &Table<Connection>) {
        let outgoing = &self.outgoing;
        self.store.trim(|| {
            let waiting = outgoing.iter().filter_map(|id| connections.get(id.0));
            let first = |connection: &Connection| {
                let stream = connection.queue.iter().map(|queued| queued.chunks.start);
                let datagrams = connection.datagrams.iter();
                stream
                    .chain(datagrams.filter_map(|it| it.queue.first_chunk()))
                    .min()
            };
            waiting.filter_map(first).min()
        });
    }
}
