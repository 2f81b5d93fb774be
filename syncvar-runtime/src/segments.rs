//! `Segments`: messages on their way into packets.

use bytes::Bytes;

use crate::NetworkWriter;

/// Messages on their way into packets: cut so that each piece fits one, unless a single message
/// does not.
#[derive(Debug)]
pub(crate) struct Segments {
    writer: NetworkWriter,
    /// Where the message under way began.
    start: usize,
    sealed: Vec<Bytes>,
    packet_size: usize,
}

impl Segments {
    pub(crate) fn new(packet_size: usize) -> Self {
        Self {
            writer: NetworkWriter::new(),
            start: 0,
            sealed: Vec::new(),
            packet_size,
        }
    }

    /// Begins a message: the caller writes it, then calls [`commit`](Self::commit) or
    /// [`give_up`](Self::give_up).
    pub(crate) fn begin(&mut self) -> &mut NetworkWriter {
        self.start = self.writer.len();
        &mut self.writer
    }

    /// Ends a message, and returns its length. If it no longer fits the packet of the messages
    /// before it, it begins the next one.
    pub(crate) fn commit(&mut self) -> usize {
        let length = self.writer.len() - self.start;
        if self.start > 0 && self.writer.len() > self.packet_size {
            self.sealed.push(self.writer.take_front(self.start));
        }
        length
    }

    /// Takes the message under way back.
    pub(crate) fn give_up(&mut self) {
        self.writer.truncate(self.start);
    }

    /// Whether nothing has been written since the last [`drain`](Self::drain).
    pub(crate) fn is_empty(&self) -> bool {
        self.sealed.is_empty() && self.writer.is_empty()
    }

    /// Freezes what is still open and gives all pieces out, in order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Bytes> {
        if !self.writer.is_empty() {
            self.sealed.push(self.writer.take_bytes());
        }
        self.sealed.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::Segments;

    #[test]
    fn messages_are_gathered_up_to_the_packet_size_and_exactly_that_fits() {
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
