//! `Segments`: outgoing messages, cut into packets.

#[cfg(feature = "parallel")]
mod append;
mod batch;
mod room;
mod update;

pub(crate) use batch::Entries;
pub(crate) use room::Room;
pub(crate) use update::{frames_length, packed_length, update_fits, update_length};

use bytes::Bytes;

use crate::{Dialect, NetworkWriter};
use batch::Batch;

/// Outgoing messages in one buffer, cut into packets. A packet respects the packet size, unless it
/// contains a single message that exceeds it.
///
/// All packets share the buffer. Its memory is reused after the last of them is dropped.
#[derive(Debug)]
pub(crate) struct Segments {
    writer: NetworkWriter,
    /// Begin of the message or entry in progress.
    start: usize,
    /// Begin of the packet in progress.
    packet: usize,
    /// Ends of the earlier packets.
    cuts: Vec<usize>,
    packet_size: usize,
    /// Begin of the delta in progress.
    contents: usize,
    /// Length of the last delta.
    changes: usize,
    /// Open message of many objects.
    batch: Option<Batch>,
    /// Memory for an entry that moves to the next packet.
    moving: Vec<u8>,
}

impl Segments {
    /// Creates a buffer in the `Unet` dialect.
    pub(crate) fn new(packet_size: usize) -> Self {
        Self::with_dialect(packet_size, Dialect::Unet)
    }

    /// Creates a buffer in a dialect.
    pub(crate) fn with_dialect(packet_size: usize, dialect: Dialect) -> Self {
        Self {
            writer: NetworkWriter::with_dialect(dialect),
            start: 0,
            packet: 0,
            cuts: Vec::new(),
            packet_size,
            contents: 0,
            changes: 0,
            batch: None,
            moving: Vec::new(),
        }
    }

    /// Returns the dialect of the values.
    #[inline]
    pub(crate) fn dialect(&self) -> Dialect {
        self.writer.dialect()
    }

    /// Begins a message. The caller writes it, then calls [`commit`](Self::commit) or
    /// [`give_up`](Self::give_up).
    pub(crate) fn begin(&mut self) -> &mut NetworkWriter {
        self.end_batch();
        self.start = self.writer.len();
        &mut self.writer
    }

    /// Returns the writer of the message in progress.
    #[inline]
    pub(crate) fn writer(&mut self) -> &mut NetworkWriter {
        &mut self.writer
    }

    /// Ends a message and returns its length. A message that does not fit the current packet begins the
    /// next one.
    pub(crate) fn commit(&mut self) -> usize {
        let end = self.writer.len();
        if self.start > self.packet && end - self.packet > self.packet_size {
            self.cut();
        }
        end - self.start
    }

    /// Discards the message in progress.
    pub(crate) fn give_up(&mut self) {
        self.writer.truncate(self.start);
    }

    /// Returns whether the buffer is empty since the last [`drain`](Self::drain).
    pub(crate) fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    /// Returns the bytes since the last [`drain`](Self::drain).
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.writer.as_bytes()
    }

    /// Makes the message in progress begin the next packet.
    fn cut(&mut self) {
        self.cuts.push(self.start);
        self.packet = self.start;
    }

    /// Freezes the buffer and returns its packets in order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Bytes> {
        self.end_batch();
        let mut whole = Bytes::new();
        if !self.writer.is_empty() {
            self.cuts.push(self.writer.len());
            whole = self.writer.take_bytes();
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
mod tests {
    use super::Segments;

    #[test]
    fn packet_holds_messages_up_to_its_exact_size() {
        let mut segments = Segments::new(10);
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
