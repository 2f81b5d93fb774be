//! `Segments`: messages on their way into packets.

#[cfg(feature = "parallel")]
mod append;
mod batch;
mod frame;
mod room;
mod update;

pub use batch::Entries;
pub use frame::{FRAME, Frame, Frames, LONG_FRAME, frame_length, long_head};
pub use room::Room;
pub use update::{frames_length, packed_length, update_fits, update_length};

use bytes::Bytes;

use crate::{Encoding, NetworkWriter};
use batch::Batch;

/// Messages that carry the changes of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateForm {
    /// Whether several objects share a message, and its payload may be long.
    pub batched: bool,
    /// Number of the message.
    pub update: i16,
    /// Number of the envelope around a message with a long payload.
    pub long: i16,
}

/// Messages on their way into packets: one buffer, cut so that each piece fits a packet, unless a
/// single message does not.
///
/// All pieces share the buffer. When the last of them is gone, its memory is used again.
#[derive(Debug)]
pub struct Segments {
    writer: NetworkWriter,
    form: UpdateForm,
    /// Where the message or entry under way began.
    start: usize,
    /// Where the piece under way began.
    piece: usize,
    /// Where the pieces before it ended.
    cuts: Vec<usize>,
    packet_size: usize,
    /// Where the changes of the object under way begin, and how many bytes they take.
    contents: usize,
    changes: usize,
    /// The message of many objects that entries are being added to.
    batch: Option<Batch>,
    /// Memory for an entry that moves to the next piece.
    moving: Vec<u8>,
}

impl Segments {
    /// A buffer for packets of this size, with values in this encoding.
    pub fn new(packet_size: usize, encoding: Encoding, form: UpdateForm) -> Self {
        Self {
            writer: NetworkWriter::with_encoding(encoding),
            form,
            start: 0,
            piece: 0,
            cuts: Vec::new(),
            packet_size,
            contents: 0,
            changes: 0,
            batch: None,
            moving: Vec::new(),
        }
    }

    /// The form of the messages with changes.
    #[inline]
    pub fn form(&self) -> UpdateForm {
        self.form
    }

    /// Begins a message: the caller writes it, then calls [`commit`](Self::commit) or
    /// [`give_up`](Self::give_up).
    pub fn begin(&mut self) -> &mut NetworkWriter {
        self.end_batch();
        self.start = self.writer.len();
        &mut self.writer
    }

    /// What is under way, to be written on.
    #[inline]
    pub fn writer(&mut self) -> &mut NetworkWriter {
        &mut self.writer
    }

    /// Ends a message, and returns its length. If it no longer fits the packet of the messages
    /// before it, it begins the next one.
    pub fn commit(&mut self) -> usize {
        let end = self.writer.len();
        if self.start > self.piece && end - self.piece > self.packet_size {
            self.cut();
        }
        end - self.start
    }

    /// Takes the message under way back.
    pub fn give_up(&mut self) {
        self.writer.truncate(self.start);
    }

    /// Whether nothing has been written since the last [`drain`](Self::drain).
    pub fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    /// What has been written since the last [`drain`](Self::drain).
    pub fn as_bytes(&self) -> &[u8] {
        self.writer.as_bytes()
    }

    /// What is under way begins the next piece.
    fn cut(&mut self) {
        self.cuts.push(self.start);
        self.piece = self.start;
    }

    /// Freezes what has been written and gives all pieces out, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Bytes> {
        self.end_batch();
        let mut whole = Bytes::new();
        if !self.writer.is_empty() {
            self.cuts.push(self.writer.len());
            whole = self.writer.take_bytes();
        }
        self.piece = 0;
        let mut begin = 0;
        self.cuts.drain(..).map(move |end| {
            let piece = whole.slice(begin..end);
            begin = end;
            piece
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
    use super::Segments;
    use crate::Encoding;

    #[test]
    fn messages_are_gathered_up_to_the_packet_size_and_exactly_that_fits() {
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
