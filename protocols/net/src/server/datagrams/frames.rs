//! `Frames`: write records of the chunks on unreliable channels, for the last ticks.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::object::{WriteLog, WriteRecord};
use syncvar_runtime::{AudienceId, NetId};

use crate::Framing;
use crate::link::sender::Content;
use crate::server::replication::bandwidth::backlog::mask_slice;
use crate::server::visibility::audience::Delivery;

/// Fields of one behaviour that a chunk contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Entry {
    pub(in crate::server) net_id: NetId,
    pub(in crate::server) channel: u8,
    /// Position of the behaviour on the object.
    pub(in crate::server) behaviour: u8,
    /// Dirty bits of the fields.
    pub(in crate::server) fields: u64,
}

/// Write record of one chunk.
#[derive(Clone, Debug)]
pub(in crate::server) struct ChunkRecord {
    /// Number of the chunk in the store.
    pub(in crate::server) number: u64,
    pub(in crate::server) audience: AudienceId,
    pub(in crate::server) channel: u8,
    pub(in crate::server) bytes: Bytes,
    /// End of its entries.
    end: u32,
}

/// A chunk of a frame, with its entries.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct WrittenChunk<'a> {
    pub(in crate::server) tick: u32,
    pub(in crate::server) record: &'a ChunkRecord,
    pub(in crate::server) entries: &'a [Entry],
}

/// Write records of one tick.
#[derive(Debug, Default)]
pub(in crate::server) struct Frame {
    pub(in crate::server) tick: u32,
    /// Chunks by number.
    pub(in crate::server) chunks: Vec<ChunkRecord>,
    pub(in crate::server) entries: Vec<Entry>,
}

/// Write records of the last ticks, shared by all connections.
#[derive(Debug, Default)]
pub(in crate::server) struct Frames {
    /// Oldest first; the last one is that of the last tick with a frame.
    last: VecDeque<Frame>,
    /// Removed frames, for their memory.
    spare: Vec<Frame>,
    /// Records of the log in the order of audiences, channels and places.
    order: Vec<u32>,
    /// Tick of the last frame.
    tick: u32,
}

/// Frames that are kept for their memory.
const SPARE: usize = 8;

impl Frames {
    /// Returns the tick of the last frame; 0 before the first one.
    pub(in crate::server) fn tick(&self) -> u32 {
        self.tick
    }

    /// Begins the frame of a tick.
    pub(in crate::server) fn begin(&mut self, tick: u32) {
        self.tick = tick;
    }

    /// Prepares the records of the tick's log for [`add`](Self::add).
    pub(in crate::server) fn index(&mut self, log: &WriteLog) {
        let count = u32::try_from(log.records.len()).unwrap_or(u32::MAX);
        self.order.clear();
        self.order.extend(0..count);
        let place = |index: &u32| log.records.get(*index as usize).and_then(place_of);
        // A single audience has them in this order already.
        if !self.order.is_sorted_by_key(place) {
            self.order.sort_unstable_by_key(place);
        }
    }

    /// Adds the records of delivered chunks, which have successive numbers from `first` on. Returns whether
    /// one of them has an entry.
    pub(in crate::server) fn add(
        &mut self,
        log: &WriteLog,
        delivery: &Delivery<'_>,
        first: u64,
    ) -> bool {
        let (audience, channel) = (delivery.audience, delivery.channel);
        let record = |index: &u32| log.records.get(*index as usize);
        let place = |index: &u32| record(index).and_then(place_of);
        let place_at = |end| Some((audience, channel, end));
        let until = |records: &[u32], end| records.partition_point(|it| place(it) <= place_at(end));
        let start = self.order.partition_point(|it| place(it) < place_at(0));
        let mut records = self.order.get(start..).unwrap_or_default();
        if until(records, usize::MAX) == 0 {
            return false;
        }
        if self.last.back().is_none_or(|it| it.tick != self.tick) {
            let mut frame = self.spare.pop().unwrap_or_default();
            frame.tick = self.tick;
            self.last.push_back(frame);
        }
        let Some(frame) = self.last.back_mut() else {
            return false;
        };
        let mut position = 0;
        for (number, chunk) in (first..).zip(delivery.chunks) {
            position += chunk.len();
            let (of_chunk, later) = records.split_at(until(records, position));
            records = later;
            for record in of_chunk.iter().filter_map(record) {
                let masks = (0_u8..).zip(mask_slice(&log.masks, &record.masks));
                for (behaviour, fields) in masks.filter(|(_, fields)| **fields != 0) {
                    frame.entries.push(Entry {
                        net_id: record.net_id,
                        channel,
                        behaviour,
                        fields: *fields,
                    });
                }
            }
            frame.chunks.push(ChunkRecord {
                number,
                audience,
                channel,
                bytes: chunk.clone(),
                end: frame.end(),
            });
        }
        true
    }

    /// Returns a chunk; none if it is forgotten.
    pub(in crate::server) fn chunk(&self, number: u64) -> Option<WrittenChunk<'_>> {
        let after = |frame: &Frame| { frame.chunks.last() }.is_some_and(|it| it.number < number);
        let frame = self.last.partition_point(after);
        self.last.get(frame)?.chunk(number)
    }

    /// Returns the entries of a chunk; none of a forgotten one.
    pub(in crate::server) fn entries(&self, number: u64) -> &[Entry] {
        self.chunk(number).map_or(&[], |chunk| chunk.entries)
    }

    /// Returns the entries in a part of a packet.
    pub(in crate::server) fn entries_in<'a>(&'a self, content: &'a Content<Entry>) -> &'a [Entry] {
        match content {
            Content::Chunk(number) => self.entries(*number),
            Content::Own(entry) => std::slice::from_ref(entry),
        }
    }

    /// Returns the frames from a tick on, without that of the last tick.
    pub(in crate::server) fn since(&self, tick: u32) -> impl Iterator<Item = &Frame> {
        let start = self.last.partition_point(|frame| frame.tick < tick);
        let end = self.last.partition_point(|frame| frame.tick < self.tick);
        self.last.range(start.min(end)..end)
    }

    /// Removes the frames before a tick.
    pub(in crate::server) fn trim(&mut self, oldest: u32) {
        while let Some(mut frame) = self.last.pop_front_if(|frame| frame.tick < oldest) {
            if self.spare.len() < SPARE {
                frame.chunks.clear();
                frame.entries.clear();
                self.spare.push(frame);
            }
        }
    }

    /// Removes all frames. The ticks begin again.
    pub(in crate::server) fn clear(&mut self) {
        self.trim(u32::MAX);
        self.last.clear();
        self.tick = 0;
    }
}

impl Frame {
    /// Returns a chunk by its number.
    fn chunk(&self, number: u64) -> Option<WrittenChunk<'_>> {
        let at = self.chunks.binary_search_by_key(&number, |it| it.number);
        let (former, record) = (
            self.chunks.get(..at.ok()?)?.last(),
            self.chunks.get(at.ok()?)?,
        );
        let start = former.map_or(0, |former| former.end);
        Some(WrittenChunk {
            tick: self.tick,
            record,
            entries: self.entries.get(start as usize..record.end as usize)?,
        })
    }

    fn end(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }
}

/// Returns the place of a record among the bytes of an update, none without such bytes.
#[inline]
fn place_of(record: &WriteRecord) -> Option<(AudienceId, u8, usize)> {
    let batched = WriteLog::index(Framing::Compact.form());
    let end = record.changes.as_ref()?[batched].end;
    Some((record.audience, record.channel, end))
}

#[cfg(test)]
mod tests;
