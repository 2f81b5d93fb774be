//! `WriteRecords`: write records of the chunks on unreliable channels, for the last ticks.

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::AudienceId;
use syncvar_runtime::unstable::object::{WriteLog, WriteRecord};

use crate::Framing;
use crate::link::sender::Content;
use crate::server::ledger::field_set::FieldSet;
use crate::server::ledger::masks::mask_slice;
use crate::server::sessions::send_queue::QueuedChunks;

/// Write record of a chunk.
#[derive(Clone, Debug)]
pub(crate) struct ChunkRecord {
    /// Number of the chunk in the store.
    pub(crate) number: u64,
    pub(crate) audience: AudienceId,
    pub(crate) channel: u8,
    pub(crate) bytes: Bytes,
    /// End of its entries.
    end: u32,
}

/// A chunk of a frame, with its entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenChunk<'a> {
    pub(crate) tick: u32,
    pub(crate) record: &'a ChunkRecord,
    pub(crate) entries: &'a [FieldSet],
}

/// Write records of a tick.
#[derive(Debug, Default)]
pub(crate) struct FrameRecords {
    pub(crate) tick: u32,
    /// Chunks by number.
    pub(crate) chunks: Vec<ChunkRecord>,
    pub(crate) entries: Vec<FieldSet>,
}

/// Write records of the last ticks, shared by all connections.
#[derive(Debug, Default)]
pub(crate) struct WriteRecords {
    /// Oldest first; the last one is that of the last tick with a frame.
    last: VecDeque<FrameRecords>,
    /// Removed frames, for their memory.
    spare: Vec<FrameRecords>,
    /// Records of the log in the order of audiences, channels and places.
    order: Vec<u32>,
    /// Tick of the last frame.
    tick: u32,
    /// Set while state on unreliable channels may be written.
    pub(crate) is_open: bool,
    /// Whether a connection has datagrams: without them no write on an unreliable channel is recorded.
    pub(crate) has_datagrams: bool,
    /// Records of the update under way.
    pub(crate) log: WriteLog,
}

/// Frames that are kept for their memory.
const SPARE: usize = 32;

impl WriteRecords {
    /// Returns the tick of the last frame; 0 before the first one.
    pub(crate) fn tick(&self) -> u32 {
        self.tick
    }

    /// Begins the frame of a tick, unless the tick has had one: state on unreliable channels waits for the next tick
    /// then. Returns whether the frame begins. Without ticks each update has a frame.
    pub(crate) fn begin(&mut self, tick: u32, has_ticks: bool) -> bool {
        self.is_open = !has_ticks || self.tick < tick;
        if self.is_open {
            self.tick = tick;
        }
        self.is_open
    }

    /// Ends the frame of the update: its log is of no use any more.
    pub(crate) fn end_frame(&mut self) {
        self.log.clear();
        self.order.clear();
        self.is_open = false;
    }

    /// Prepares the records of the update's log for [`add`](Self::add).
    pub(crate) fn index(&mut self) {
        let log = &self.log;
        let count = u32::try_from(log.records.len()).unwrap_or(u32::MAX);
        self.order.clear();
        self.order.extend(0..count);
        let place = |index: &u32| log.records.get(*index as usize).and_then(place_of);
        // A single audience has them in this order already.
        if !self.order.is_sorted_by_key(place) {
            self.order.sort_unstable_by_key(place);
        }
    }

    /// Adds the records of delivered chunks of an audience. Returns whether a chunk has an entry.
    pub(crate) fn add(
        &mut self,
        audience: AudienceId,
        queued: &QueuedChunks,
        chunks: &[Bytes],
    ) -> bool {
        let (log, channel, first) = (&self.log, queued.channel, queued.chunks.start);
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
        for (number, chunk) in (first..).zip(chunks) {
            position += chunk.len();
            let (of_chunk, later) = records.split_at(until(records, position));
            records = later;
            for record in of_chunk.iter().filter_map(record) {
                let masks = (0_u8..).zip(mask_slice(&log.masks, &record.masks));
                for (behaviour, fields) in masks.filter(|(_, fields)| **fields != 0) {
                    frame.entries.push(FieldSet {
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
    pub(crate) fn chunk(&self, number: u64) -> Option<WrittenChunk<'_>> {
        let after =
            |frame: &FrameRecords| { frame.chunks.last() }.is_some_and(|it| it.number < number);
        let frame = self.last.partition_point(after);
        self.last.get(frame)?.chunk(number)
    }

    /// Returns the entries of a chunk; empty for a forgotten chunk.
    pub(crate) fn entries(&self, number: u64) -> &[FieldSet] {
        self.chunk(number).map_or(&[], |chunk| chunk.entries)
    }

    /// Returns the entries in a part of a packet.
    pub(crate) fn entries_in<'a>(&'a self, content: &'a Content<FieldSet>) -> &'a [FieldSet] {
        match content {
            Content::Chunk(number) => self.entries(*number),
            Content::Own(entry) => std::slice::from_ref(entry),
        }
    }

    /// Returns the frames from a tick on, without that of the last tick.
    pub(crate) fn since(&self, tick: u32) -> impl Iterator<Item = &FrameRecords> {
        let start = self.last.partition_point(|frame| frame.tick < tick);
        let end = self.last.partition_point(|frame| frame.tick < self.tick);
        self.last.range(start.min(end)..end)
    }

    /// Removes the frames before a tick.
    pub(crate) fn trim(&mut self, oldest: u32) {
        let is_old = |frame: &FrameRecords| frame.tick < oldest;
        while self.last.front().is_some_and(is_old)
            && let Some(mut frame) = self.last.pop_front()
        {
            if self.spare.len() < SPARE {
                frame.chunks.clear();
                frame.entries.clear();
                self.spare.push(frame);
            }
        }
    }

    /// Removes all frames. The ticks begin again.
    pub(crate) fn clear(&mut self) {
        self.trim(u32::MAX);
        self.last.clear();
        self.tick = 0;
    }
}

impl FrameRecords {
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
