//! `LostChunks`: lost chunks without the entries that were written since, once for all connections.

use std::ops::Range;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{AudienceId, Channel, NetId};

use crate::Framing;
use crate::server::datagram_link::DatagramLink;
use crate::server::ledger::field_set::FieldSet;
use crate::server::ledger::streamed::StreamedFields;
use crate::server::objects::Objects;
use crate::server::outbound::Outbound;
use crate::server::outbound::write_records::WrittenChunk;
use crate::server::visibility::observer_view::{ObserverView, Outstanding};

/// Chunks that connections have lost, as this update sends them again.
#[derive(Debug, Default)]
pub(super) struct LostChunks {
    /// By number.
    chunks: FxHashMap<u64, LostChunk>,
    /// Entries in the copies.
    copied: Vec<FieldSet>,
    /// Entries that stand in part, or not for all observers.
    others: Vec<FieldSet>,
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

/// A lost chunk with its entries.
pub(super) struct ChunkCopy<'a> {
    chunk: &'a LostChunk,
    /// Entries in the copy.
    copied: &'a [FieldSet],
    /// Entries that may be outstanding for a connection.
    pub(super) others: &'a [FieldSet],
}

impl LostChunks {
    /// Forgets the chunks.
    pub(super) fn clear(&mut self) {
        self.chunks.clear();
        self.copied.clear();
        self.others.clear();
    }

    /// Adds a chunk. Returns the bytes of the entries that stand as they were written.
    fn add(
        &mut self,
        number: u64,
        chunk: &WrittenChunk<'_>,
        outstanding: impl Fn(&FieldSet) -> Outstanding,
        buffer: &mut Segments,
    ) -> Option<Bytes> {
        let Self { copied, others, .. } = self;
        let starts = (copied.len(), others.len());
        let (mut entries, mut chosen) = (chunk.entries, NetId::NONE);
        buffer.append_chosen(&chunk.record.bytes, |net_id| {
            let of_object = entries.iter().take_while(|it| it.net_id == net_id);
            let (of_object, later) = entries.split_at(of_object.count());
            entries = later;
            let mut fates = of_object.iter().map(&outstanding);
            let first = fates.next();
            let Some(first) = first else {
                // An object that was written twice in a row has all its entries at the first place.
                return chosen == net_id;
            };
            let fate = if fates.all(|fate| fate == first) {
                first
            } else {
                Outstanding::Partial
            };
            chosen = NetId::NONE;
            match fate {
                Outstanding::Whole => {
                    copied.extend(of_object);
                    chosen = net_id;
                }
                Outstanding::Partial => others.extend(of_object),
                Outstanding::Nothing => {}
            }
            fate == Outstanding::Whole
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

impl LostChunks {
    /// Returns a lost chunk. Its copy is written once for all connections. None if the chunk is forgotten.
    pub(super) fn get(
        &mut self,
        number: u64,
        objects: &Objects,
        outbound: &mut Outbound,
        packet_size: usize,
    ) -> Option<ChunkCopy<'_>> {
        if !self.chunks.contains_key(&number) {
            self.copy(number, objects, outbound, packet_size);
        }
        let chunk = self.chunks.get(&number)?;
        Some(ChunkCopy {
            chunk,
            copied: self.copied.get(chunk.copied.clone())?,
            others: self.others.get(chunk.others.clone())?,
        })
    }

    /// Adds a lost chunk, unless its records are forgotten.
    fn copy(
        &mut self,
        number: u64,
        objects: &Objects,
        outbound: &mut Outbound,
        packet_size: usize,
    ) {
        let Some(chunk) = outbound.records.chunk(number) else {
            return;
        };
        let buffer = self.buffer.take();
        let new = || Box::new(Framing::Compact.segments_of(Channel::Unreliable, packet_size));
        let mut buffer = buffer.unwrap_or_else(new);
        let ids = chunk.entries.iter().map(|entry| entry.net_id.0);
        objects.world.objects.load(ids);
        let outstanding = |entry: &FieldSet| Outstanding::of(objects, entry, &chunk);
        let bytes = self.add(number, &chunk, outstanding, &mut buffer);
        if let Some((bytes, chunk)) = bytes.zip(self.chunks.get_mut(&number)) {
            let length = bytes.len();
            let copy = outbound.store.add(std::iter::once(bytes));
            chunk.copy = Some((copy.start, length));
        }
        self.buffer = Some(buffer);
    }
}

impl ChunkCopy<'_> {
    /// Returns the tick of the chunk.
    pub(super) fn tick(&self) -> u32 {
        self.chunk.tick
    }

    /// Sends the copy to a connection, within `limit` bytes of repairs. Returns the number of the sent entries. None if
    /// the copy is not for the connection: nothing is sent then.
    pub(super) fn send(
        &self,
        view: ObserverView<'_>,
        link: &mut DatagramLink,
        streamed: &StreamedFields,
        limit: usize,
    ) -> Option<usize> {
        if let Some((copy, length)) = self.chunk.copy {
            let is_streamed = |entry: &FieldSet| streamed.contains(entry.net_id);
            let takes = view.observes(self.chunk.audience)
                && link.carries(length)
                && !self.copied.iter().any(is_streamed)
                && link.reserve_repair(length, limit);
            if !takes {
                return None;
            }
            link.queue
                .push_unicast(self.chunk.channel, copy, self.copied);
        }
        Some(self.copied.len())
    }
}
