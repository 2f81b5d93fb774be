//! Bytes on their way to the transport: from audiences over chunks to packets.
//!
//! ```text
//! audience   members with one framing share the bytes of a message
//!    |  deliver: the segments become chunks, stored once
//!    v
//! chunk      number in the ChunkStore; the queue of each connection holds ranges of numbers
//!    |  poll: adjacent chunks of one channel and one tick, up to the packet size
//!    v
//! packet     header of the connection + list of shared chunks, without a copy
//! ```
//!
//! A message for several connections is encoded once for each framing, and its bytes are stored once. One more
//! receiver costs a range in a queue. All channels of a connection share one queue, so that no snapshot overtakes
//! an earlier delta; messages for one connection alone wait in the segments `direct` and join the queue before the
//! next chunk.
//!
//! A packet on the stream begins with a header, whose ticks and acknowledgements belong to the connection. The
//! chunks behind the header have no byte of a connection: relays and recordings forward them unchanged. Chunks of
//! unreliable channels go to the queue of the datagrams, if the transport has datagrams, with the numbers of their
//! chunks: a lost datagram names the chunks, and the write records of a chunk name the fields.
//!
//! The store drops chunks that no queue refers to. It numbers chunks in the order of writing, so that one number,
//! the oldest in a queue, decides.

mod datagrams;
pub(crate) mod journal;
pub(crate) mod recorder;
pub(crate) mod remote;
pub(crate) mod save;
pub(crate) mod transmit;
pub(crate) mod write_records;

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::unstable::table::Table;

use crate::link::header_bytes::HeaderBytes;
use crate::link::sender::ChunkRef;
use crate::server::chunk_store::ChunkStore;
use crate::server::ledger::field_set::FieldSet;
use crate::server::outbound::journal::Journal;
use crate::server::outbound::recorder::Recorder;
use crate::server::outbound::remote::RemoteMessage;
use crate::server::outbound::save::SaveInProgress;
use crate::server::outbound::write_records::WriteRecords;
use crate::server::sessions::connection::Connection;
use crate::server::sessions::send_queue::QueuedChunks;

/// Bytes in transit, and the connections with a non-empty queue.
#[derive(Debug, Default)]
pub(crate) struct Outbound {
    /// Connections with bytes to transmit, each once.
    pub(crate) outgoing: VecDeque<ConnectionId>,
    /// Whether no transport has polled since the last update.
    pub(crate) awaits_poll: bool,
    pub(crate) store: ChunkStore,
    /// Header of the packet polled last.
    pub(crate) header: HeaderBytes,
    /// Chunks of the packet polled last, if they were not adjacent in the store.
    pub(crate) packet: Vec<Bytes>,
    pub(crate) recorder: Recorder,
    pub(crate) journal: Option<Box<Journal>>,
    /// Save whose slices belong to several updates.
    pub(crate) save: Option<Box<SaveInProgress>>,
    /// Write records of the chunks on unreliable channels. Boxed, so that a future with a server is small.
    pub(crate) records: Box<WriteRecords>,
    /// Connections by a stream whose last tick is not complete, and perhaps some that have received a complete tick since.
    pub(crate) incomplete: Vec<ConnectionId>,
    /// Messages for remote connections.
    pub(crate) remote: VecDeque<RemoteMessage>,
    /// Fields in the buffers for one connection alone.
    pub(crate) unicast: PlacedFields,
}

/// Fields that one connection alone receives, with the ends of their messages in the buffers of their channels.
#[derive(Debug, Default)]
pub(crate) struct PlacedFields {
    list: Vec<(usize, FieldSet)>,
    /// Fields in the chunk that is sent.
    in_chunk: Vec<FieldSet>,
}

impl PlacedFields {
    /// Adds the fields of a message that ends at this position.
    pub(crate) fn place(&mut self, fields: &[FieldSet], end: usize) {
        self.list.extend(fields.iter().map(|fields| (end, *fields)));
    }
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
        connection.send_queue.flush(&mut self.store);
        connection.send_queue.chunks.push_back(chunks);
        connection.list(&mut self.outgoing);
    }

    /// Appends the chunks of a frame to the datagrams of a connection; longer chunks take the stream, or wait.
    pub(super) fn queue_frame(
        &mut self,
        connection: &mut Connection,
        chunks: &[Bytes],
        queued: &QueuedChunks,
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
            let entries = self.records.entries(number);
            if entries.iter().all(|it| datagrams.may_send_long(it.net_id)) {
                datagrams.note_long(&mut connection.ledger, entries, tick);
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
                connection.ledger.withhold(tick, number);
            }
        }
    }

    /// Appends buffers to the queues of one connection, with their [placed](PlacedFields) fields if they take
    /// datagrams. Returns the number of their bytes.
    pub(crate) fn queue_unicast(
        &mut self,
        connection: &mut Connection,
        is_lossy: impl Fn(u8) -> bool,
        outputs: &mut [Segments],
    ) -> usize {
        let PlacedFields { list, mut in_chunk } = std::mem::take(&mut self.unicast);
        let mut sent = 0;
        for (channel, output) in (0_u8..).zip(outputs) {
            let chunks = output.drain().inspect(|chunk| sent += chunk.len());
            if connection.datagrams.is_none() || !is_lossy(channel) {
                let chunks = self.add(channel, chunks);
                self.queue(connection, chunks);
                continue;
            }
            let of_channel = list.iter().filter(|(_, fields)| fields.channel == channel);
            let mut of_channel = of_channel.peekable();
            let mut end = 0;
            for chunk in chunks {
                end += chunk.len();
                while let Some((_, fields)) = of_channel.next_if(|(at, _)| *at <= end) {
                    in_chunk.push(*fields);
                }
                self.queue_unicast_chunk(connection, channel, chunk, &in_chunk);
                in_chunk.clear();
            }
        }
        self.unicast = PlacedFields { list, in_chunk };
        self.unicast.list.clear();
        sent
    }

    /// Appends a chunk with fields for a connection alone to its datagrams; a longer chunk takes the stream.
    fn queue_unicast_chunk(
        &mut self,
        connection: &mut Connection,
        channel: u8,
        chunk: Bytes,
        fields: &[FieldSet],
    ) {
        let length = chunk.len();
        let queued = self.add(channel, std::iter::once(chunk));
        let Some(link) = &mut connection.datagrams else {
            return;
        };
        if link.carries(length) {
            link.queue
                .push_unicast(channel, queued.chunks.start, fields);
        } else {
            link.note_long(&mut connection.ledger, fields, queued.tick);
            self.queue(connection, queued);
        }
    }

    /// Stores chunks and appends them to a connection's queue.
    pub(crate) fn send(&mut self, connection: &mut Connection, channel: u8, chunks: &[Bytes]) {
        connection
            .ledger
            .charge(chunks.iter().map(Bytes::len).sum());
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
                let stream = connection
                    .send_queue
                    .chunks
                    .iter()
                    .map(|queued| queued.chunks.start);
                let datagrams = connection.datagrams.iter();
                stream
                    .chain(datagrams.filter_map(|it| it.queue.first_chunk()))
                    .min()
            };
            waiting.filter_map(first).min()
        });
    }
}
