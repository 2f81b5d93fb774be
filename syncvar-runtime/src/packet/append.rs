//! Deltas of a second buffer or of a packet, appended as if written here.
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
    /// Moves the deltas of a second buffer with the same encoding here. `placed` receives the new range of
    /// each object's delta. Returns their number and bytes.
    pub fn append_updates(
        &mut self,
        other: &mut Self,
        placed: impl FnMut(Range<usize>),
    ) -> Counter {
        other.end_batch();
        let counter = if self.form.batched {
            self.append_batches(other.as_bytes(), |_| true, placed)
        } else {
            self.append_messages(other.as_bytes(), placed)
        };
        other.clear();
        counter
    }

    /// Appends the entries of a packet of batches that `chooses` accepts, in order.
    #[inline]
    pub fn append_chosen(&mut self, packet: &[u8], chooses: impl FnMut(NetId) -> bool) {
        self.append_batches(packet, chooses, |_| {});
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

    /// Appends messages of a single object each, and cuts packets.
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

    /// Appends chosen entries of messages of many objects, which continue the open one.
    #[inline]
    fn append_batches(
        &mut self,
        messages: &[u8],
        mut chooses: impl FnMut(NetId) -> bool,
        mut placed: impl FnMut(Range<usize>),
    ) -> Counter {
        let mut counter = Counter::default();
        for frame in Frames::new(messages, self.form.long).map_while(Result::ok) {
            counter.add_all(self.append_batch(frame.payload, &mut chooses, &mut placed));
        }
        counter
    }

    #[inline]
    fn append_batch(
        &mut self,
        payload: &[u8],
        chooses: &mut impl FnMut(NetId) -> bool,
        placed: &mut impl FnMut(Range<usize>),
    ) -> Counter {
        let mut counter = Counter::default();
        let limit = self.longest_batch();
        let mut entries = Entries::new(payload);
        // The entries between these two positions are copied together.
        let (mut copied, mut read) = (0, 0);
        let mut last = NetId::NONE;
        while let Some(Ok((net_id, changes))) = entries.next() {
            let start = std::mem::replace(&mut read, entries.position());
            let is_chosen = chooses(net_id);
            let end = self.writer.len() + (read - copied);
            if is_chosen && last != NetId::NONE && end - self.packet <= limit {
                counter.add(read - start);
                placed(end - changes.len()..end);
                last = net_id;
                continue;
            }
            self.append_entries(&payload[copied..start], last);
            (copied, last) = (read, NetId::NONE);
            if is_chosen {
                counter.add(self.push_update(net_id, changes));
                placed(self.last_update());
                last = net_id;
            }
        }
        self.append_entries(&payload[copied..read], last);
        counter
    }

    /// Appends entries that fit the current packet to the open message.
    fn append_entries(&mut self, entries: &[u8], last: NetId) {
        self.writer.write_bytes(entries);
        if let Some(batch) = self.batch.as_mut().filter(|_| !entries.is_empty()) {
            batch.last = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Segments;
    use crate::packet::test_forms::BATCHED;
    use crate::{Encoding, NetId};

    #[test]
    fn chosen_entries_are_those_written_alone() {
        // Differences of ids of 1 to 5 bytes, lengths with and without a byte of their own, a second message.
        let ids = [1, 2, 17, 300, 301, 1 << 20, u32::MAX - 1, 5, 6, 40];
        let changes = |id: u32| vec![7; id as usize % 11];
        let write = |chosen: &dyn Fn(usize) -> bool| {
            let mut segments = Segments::new(1100, Encoding::Compact, BATCHED);
            for (index, id) in ids.iter().enumerate() {
                if chosen(index) {
                    segments.push_update(NetId(*id), &changes(*id));
                }
            }
            segments.drain().next()
        };
        let whole = write(&|_| true).unwrap();
        let mut copies = Segments::new(1100, Encoding::Compact, BATCHED);
        for choice in 0..1 << ids.len() {
            let chosen = |index: usize| choice >> index & 1 == 1;
            let (mut index, mut seen) = (0, Vec::new());
            copies.append_chosen(&whole, |id| {
                index += 1;
                seen.push(id.0);
                chosen(index - 1)
            });
            assert_eq!(seen, ids);
            assert_eq!(copies.drain().next(), write(&chosen), "{choice:#b}");
        }
    }
}
