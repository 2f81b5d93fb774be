//! `LostChunks`: lost chunks without the entries that were written since, once for all connections.

use std::ops::Range;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::packet::Segments;
use syncvar_runtime::{AudienceId, Channel, ConnectionId, NetId};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::{Entry, WrittenChunk};
use crate::server::datagrams::standing::Standing;

/// Chunks that connections have lost, as this update sends them again.
#[derive(Debug, Default)]
pub(in crate::server) struct LostChunks {
    /// By number.
    chunks: FxHashMap<u64, LostChunk>,
    /// Entries in the copies.
    copied: Vec<Entry>,
    /// Entries that stand in part, or not for all observers.
    others: Vec<Entry>,
    /// Buffer of the copy in progress, reused. Boxed, so that a future with a server is small.
    buffer: Option<Box<Segments>>,
}

/// A lost chunk, for all connections that have lost it.
#[derive(Debug)]
struct LostChunk {
    audience: AudienceId,
    channel: u8,
    tick: u32,
    /// Number and length of the chunk with the entries that stand as they were written; none without such an entry.
    copy: Option<(u64, usize)>,
    /// Its entries in [`LostChunks::copied`].
    copied: Range<usize>,
    /// Entries that may stand for a connection, in [`LostChunks::others`].
    others: Range<usize>,
}

impl LostChunks {
    /// Forgets the chunks.
    pub(in crate::server) fn clear(&mut self) {
        self.chunks.clear();
        self.copied.clear();
        self.others.clear();
    }

    /// Adds a chunk. Returns the bytes of the entries that stand as they were written.
    fn add(
        &mut self,
        number: u64,
        chunk: &WrittenChunk<'_>,
        standing: impl Fn(&Entry) -> Standing,
        buffer: &mut Segments,
    ) -> Option<Bytes> {
        let Self { copied, others, .. } = self;
        let starts = (copied.len(), others.len());
        let (mut entries, mut chosen) = (chunk.entries, NetId::NONE);
        buffer.append_chosen(&chunk.record.bytes, |net_id| {
            let of_object = entries.iter().take_while(|it| it.net_id == net_id);
            let (of_object, later) = entries.split_at(of_object.count());
            entries = later;
            let mut fates = of_object.iter().map(&standing);
            let first = fates.next();
            let Some(first) = first else {
                // An object that was written twice in a row has all its entries at the first place.
                return chosen == net_id;
            };
            let fate = if fates.all(|fate| fate == first) {
                first
            } else {
                Standing::Partial
            };
            chosen = NetId::NONE;
            match fate {
                Standing::Whole => {
                    copied.extend(of_object);
                    chosen = net_id;
                }
                Standing::Partial => others.extend(of_object),
                Standing::Nothing => {}
            }
            fate == Standing::Whole
        });
        others.extend(entries);
        self.chunks.insert(
            number,
            LostChunk {
                audience: chunk.record.audience,
                channel: chunk.record.channel,
                tick: chunk.tick,
                copy: None,
                copied: starts.0..copied.len(),
                others: starts.1..others.len(),
            },
        );
        let mut chunks = buffer.drain();
        let chunk = chunks.next();
        debug_assert!(
            chunks.next().is_none(),
            "a part is not longer than the whole"
        );
        chunk
    }
}

impl NetworkServer {
    /// Sends the entries of a lost chunk that stand as they were written to a connection, and adds the standing fields
    /// of the others to `owed`. Returns the number of the sent entries, or none if nothing was done.
    pub(super) fn send_again(
        &mut self,
        connection: ConnectionId,
        datagrams: &mut Datagrams,
        number: u64,
        owed: &mut Vec<Entry>,
    ) -> Option<usize> {
        if !self.replication.lost_chunks.chunks.contains_key(&number) {
            self.copy_lost(number);
        }
        let lost = &self.replication.lost_chunks;
        let chunk = lost.chunks.get(&number)?;
        let copied = lost.copied.get(chunk.copied.clone())?;
        if let Some((copy, length)) = chunk.copy {
            let is_shown = |entry: &Entry| datagrams.shown.contains(entry.net_id);
            let takes = self.is_in(connection, chunk.audience)
                && datagrams.carries(length)
                && !copied.iter().any(is_shown)
                && datagrams.reserve_repair(length, self.context.config.loss.repair_bytes);
            if !takes {
                return None;
            }
            datagrams.queue.push_own(chunk.channel, copy, copied);
        }
        let others = (lost.others.get(chunk.others.clone())?, chunk.tick);
        self.add_standing(connection, &datagrams.shown, others, owed);
        Some(copied.len())
    }

    /// Adds a chunk to the lost ones, unless it is forgotten.
    fn copy_lost(&mut self, number: u64) {
        let mut lost = std::mem::take(&mut self.replication.lost_chunks);
        let size = self.context.config.gathered_size();
        let buffer = lost.buffer.take();
        let new = || Box::new(Framing::Compact.segments_of(Channel::Unreliable, size));
        let mut buffer = buffer.unwrap_or_else(new);
        if let Some(chunk) = self.replication.frames.chunk(number) {
            let ids = chunk.entries.iter().map(|entry| entry.net_id.0);
            self.objects.world.objects.load(ids);
            let standing = |entry: &Entry| self.standing_for_all(entry, &chunk);
            let bytes = lost.add(number, &chunk, standing, &mut buffer);
            if let Some((bytes, chunk)) = bytes.zip(lost.chunks.get_mut(&number)) {
                let length = bytes.len();
                let copy = self.outbound.store.add(std::iter::once(bytes));
                chunk.copy = Some((copy.start, length));
            }
        }
        lost.buffer = Some(buffer);
        self.replication.lost_chunks = lost;
    }
}
