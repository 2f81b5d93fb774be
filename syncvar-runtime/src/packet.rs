//! `Segments`: outgoing messages, cut into packets.

mod append;
mod batch;
mod blocks;
mod frame;
mod room;
mod update;

pub use batch::Entries;
pub use frame::{FRAME, Frame, Frames, LONG_FRAME, frame_length, long_head};
pub use room::Room;
pub use update::{frames_length, packed_length, update_length, update_refusal};

use bytes::Bytes;

use crate::{Encoding, NetworkWriter};
use batch::Batch;
use blocks::Blocks;

/// Bytes of a drain that are never a burst.
const USUAL: usize = 64 * 1024;

/// Format of the messages with deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateForm {
    /// Set if several objects share a message, possibly in the long form.
    pub batched: bool,
    /// Number of the message.
    pub update: i16,
    /// Reserved type of the long form.
    pub long: i16,
}

/// Outgoing messages in one buffer, cut into packets. A packet respects the packet size, unless it
/// contains a single message that exceeds it.
///
/// The packets of a drain share memory, which is reused after the last packet is dropped. The packets of a burst, as for many
/// objects that spawn at once, take the memory with them.
#[derive(Debug)]
pub struct Segments {
    writer: NetworkWriter,
    form: UpdateForm,
    /// Start of the message or entry in progress.
    start: usize,
    /// Start of the packet in progress.
    packet: usize,
    /// Ends of the earlier packets.
    cuts: Vec<usize>,
    packet_size: usize,
    /// Start of the delta in progress.
    contents: usize,
    /// Length of the last delta.
    changes: usize,
    /// Open message of many objects.
    batch: Option<Batch>,
    /// Memory for an entry that moves to the next packet.
    moving: Vec<u8>,
    /// Memory of the drained packets.
    blocks: Blocks,
    /// Length of the longest recent drain. It falls with each shorter drain.
    recent: usize,
}

impl Segments {
    /// Creates a buffer for packets of a size, with values in an encoding.
    pub fn new(packet_size: usize, encoding: Encoding, form: UpdateForm) -> Self {
        Self {
            writer: NetworkWriter::with_encoding(encoding),
            form,
            start: 0,
            packet: 0,
            cuts: Vec::new(),
            packet_size,
            contents: 0,
            changes: 0,
            batch: None,
            moving: Vec::new(),
            blocks: Blocks::default(),
            recent: 0,
        }
    }

    /// Returns the format of the messages with deltas.
    #[inline]
    pub fn form(&self) -> UpdateForm {
        self.form
    }

    /// Begins a message. The caller writes it, then calls [`commit`](Self::commit) or
    /// [`give_up`](Self::give_up).
    #[inline]
    pub fn begin(&mut self) -> &mut NetworkWriter {
        self.end_batch();
        self.start = self.writer.len();
        &mut self.writer
    }

    /// Returns the writer of the message in progress.
    #[inline]
    pub fn writer(&mut self) -> &mut NetworkWriter {
        &mut self.writer
    }

    /// Ends a message and returns its length. A message that does not fit the current packet begins the
    /// next one.
    #[inline]
    pub fn commit(&mut self) -> usize {
        let end = self.writer.len();
        if self.start > self.packet && end - self.packet > self.packet_size {
            self.cut();
        }
        end - self.start
    }

    /// Discards the message in progress.
    #[inline]
    pub fn give_up(&mut self) {
        self.writer.truncate(self.start);
    }

    /// Returns whether the buffer is empty since the last [`drain`](Self::drain).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    /// Returns the bytes since the last [`drain`](Self::drain).
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.writer.as_bytes()
    }

    /// Ends the packet in progress. The next message or entry begins the next packet.
    pub fn end_packet(&mut self) {
        self.end_batch();
        let end = self.writer.len();
        if end > self.packet {
            self.cuts.push(end);
            self.packet = end;
        }
    }

    /// Makes the message in progress begin the next packet.
    fn cut(&mut self) {
        self.cuts.push(self.start);
        self.packet = self.start;
    }

    /// Empties the buffer and returns its packets in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Bytes> {
        self.end_batch();
        let mut whole = Bytes::new();
        if !self.writer.is_empty() {
            if self.cuts.last() != Some(&self.writer.len()) {
                self.cuts.push(self.writer.len());
            }
            let length = self.writer.len();
            if length > USUAL.max(self.recent.saturating_mul(4)) {
                whole = self.writer.give_bytes();
            } else {
                whole = self.blocks.copy(self.writer.as_bytes(), &self.cuts);
                self.writer.truncate(0);
            }
            self.recent = length.max(self.recent - self.recent / 16);
        }
        self.packet = 0;
        let mut begin = 0;
        self.cuts.drain(..).map(move |end| {
            let packet = whole.slice(begin..end);
            begin = end;
            packet
        })
    }
}

#[cfg(test)]
mod test_forms {
    use super::UpdateForm;

    pub(super) const SINGLE: UpdateForm = UpdateForm {
        batched: false,
        update: 8,
        long: 24,
    };

    pub(super) const BATCHED: UpdateForm = UpdateForm {
        batched: true,
        update: 22,
        long: 24,
    };
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Segments;
    use crate::Encoding;

    #[test]
    fn ended_packets_take_no_more_messages() {
        let mut segments = Segments::new(10, Encoding::Unet, super::test_forms::SINGLE);
        segments.end_packet();
        for length in [4, 3] {
            segments.begin().write_bytes(&vec![0; length]);
            segments.commit();
            segments.end_packet();
            segments.end_packet();
        }
        let lengths: Vec<_> = segments.drain().map(|bytes| bytes.len()).collect();
        assert_eq!(lengths, [4, 3]);
    }

    #[test]
    fn memory_of_a_burst_goes_with_its_packets() {
        let mut segments = Segments::new(1_000, Encoding::Unet, super::test_forms::SINGLE);
        let mut drain = |length: usize| {
            for part in vec![7; length].chunks(1_000) {
                segments.begin().write_bytes(part);
                segments.commit();
            }
            let packets: Vec<_> = segments.drain().collect();
            assert!(packets.iter().flatten().all(|byte| *byte == 7));
            assert_eq!(packets.iter().map(Bytes::len).sum::<usize>(), length);
            let unused = segments.writer.give_bytes();
            unused.try_into_mut().map_or(0, |it| it.capacity())
        };
        assert!(drain(60_000) > 0);
        assert_eq!(drain(500_000), 0);
        // A long drain after a long one is usual.
        assert!(drain(500_000) > 0);
    }

    #[test]
    fn packet_holds_messages_up_to_its_exact_size() {
        let mut segments = Segments::new(10, Encoding::Unet, super::test_forms::SINGLE);
        for length in [4, 6, 1, 25, 3] {
            let writer = segments.begin();
            writer.write_bytes(&vec![0; length]);
            assert_eq!(segments.commit(), length);
        }
        let lengths: Vec<_> = segments.drain().map(|bytes| bytes.len()).collect();
        assert_eq!(lengths, [10, 1, 25, 3]);
        assert_eq!(segments.drain().count(), 0);
    }
}
