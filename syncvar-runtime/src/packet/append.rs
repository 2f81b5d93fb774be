//! Changes that were written elsewhere, appended as if they had been written here.
//!
//! Between two packets' ends nothing of them depends on what stands before, so that all of it is copied
//! at once: all but the first of each packet in the `Compact` encoding, whose id is counted from 0.

use std::ops::Range;

use super::Segments;
use super::batch::Entries;
use super::frame::{FRAME, Frames};
use super::update::packed_length;
use crate::stats::Counter;
use crate::{NetId, NetworkReader};

impl Segments {
    /// Appends the changes of objects that another buffer of the same encoding holds, and empties it.
    /// `placed` is told where the changes of each object are now. Returns how many there are, and their
    /// bytes.
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

    /// Forgets what has been written.
    pub fn clear(&mut self) {
        self.batch = None;
        self.writer.truncate(0);
        self.writer.take_error();
        self.cuts.clear();
        self.piece = 0;
    }

    /// Appends messages of one object each, cut where a packet ends.
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
            if self.start > self.piece && end - self.piece > self.packet_size {
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

    /// Appends messages of many objects. They go on with the one that is under way here.
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
        // What stands between these two is about to be copied, all of it at once.
        let (mut copied, mut read) = (0, 0);
        let mut last = NetId::NONE;
        while let Some(Ok((net_id, changes))) = entries.next() {
            let start = std::mem::replace(&mut read, entries.position());
            let end = self.writer.len() + (read - copied);
            if last != NetId::NONE && end - self.piece <= limit {
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

    /// Appends entries to the message under way, which fit its packet.
    fn append_entries(&mut self, entries: &[u8], last: NetId) {
        self.writer.write_bytes(entries);
        if let Some(batch) = self.batch.as_mut().filter(|_| !entries.is_empty()) {
            batch.last = last;
        }
    }
}
