//! Deltas of another buffer, appended as if written here.
//!
//! Between two packet ends the bytes do not depend on their position, so that they are copied together.
//! The first entry of a packet in the `Compact` encoding is the exception: its id counts from 0.

use std::ops::Range;

use super::Segments;
use super::batch::Entries;
use super::frame::{FRAME, Frames};
use super::update::packed_length;
use crate::stats::Counter;
use crate::{NetId, NetworkReader};

impl Segments {
    /// Moves the deltas of another buffer with the same encoding here. `placed` receives the new range of
    /// each object's delta. Returns their number and bytes.
    pub fn append_updates(
        &mut self,
        other: &mut Self,
        placed: impl FnMut(Range<usize>),
    ) -> Counter {
        other.end_batch();
        let counter = if self.form.batched {
            self.append_batches(other.as_bytes(), placed)
        } else {
            self.append_messages(other.as_bytes(), placed)
        };
        other.clear();
        counter
    }

    /// Empties the buffer.
    #[inline]
    pub fn clear(&mut self) {
        self.batch = None;
        self.writer.truncate(0);
        self.writer.take_error();
        self.cuts.clear();
        self.packet = 0;
    }

    /// Appends messages of one object each, and cuts packets.
    fn append_messages(
        &mut self,
        messages: &[u8],
        mut placed: impl FnMut(Range<usize>),
    ) -> Counter {
        self.end_batch();
        let mut counter = Counter::default();
        let mut end = self.writer.len();
        for frame in Frames::new(messages, self.form.long).map_while(Result::ok) {
            let length = FRAME + frame.payload.len();
            self.start = end;
            end += length;
            if self.start > self.packet && end - self.packet > self.packet_size {
                self.cut();
            }
            counter.add(length);
            let id = NetworkReader::new(frame.payload).read_packed_u32();
            let id = packed_length(NetId(id.unwrap_or_default()));
            placed(self.start + FRAME + id..end);
        }
        self.writer.write_bytes(messages);
        counter
    }

    /// Appends messages of many objects, which continue the open one.
    fn append_batches(&mut self, messages: &[u8], mut placed: impl FnMut(Range<usize>)) -> Counter {
        let mut counter = Counter::default();
        for frame in Frames::new(messages, self.form.long).map_while(Result::ok) {
            self.append_batch(frame.payload, &mut counter, &mut placed);
        }
        counter
    }

    fn append_batch(
        &mut self,
        payload: &[u8],
        counter: &mut Counter,
        placed: &mut impl FnMut(Range<usize>),
    ) {
        let limit = self.longest_batch();
        let mut entries = Entries::new(payload);
        // The entries between these two positions are copied together.
        let (mut copied, mut read) = (0, 0);
        let mut last = NetId::NONE;
        while let Some(Ok((net_id, changes))) = entries.next() {
            let start = std::mem::replace(&mut read, entries.position());
            let end = self.writer.len() + (read - copied);
            if last != NetId::NONE && end - self.packet <= limit {
                counter.add(read - start);
                placed(end - changes.len()..end);
            } else {
                self.append_entries(&payload[copied..start], last);
                counter.add(self.push_update(net_id, changes));
                placed(self.last_update());
                copied = read;
            }
            last = net_id;
        }
        self.append_entries(&payload[copied..read], last);
    }

    /// Appends entries that fit the current packet to the open message.
    fn append_entries(&mut self, entries: &[u8], last: NetId) {
        self.writer.write_bytes(entries);
        if let Some(batch) = self.batch.as_mut().filter(|_| !entries.is_empty()) {
            batch.last = last;
        }
    }
}
