//! Pieces of frames, for vectored writes.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes};

use super::{Framing, Head};
use crate::tasks::OutgoingPacket;

/// Piece of a frame.
#[derive(Debug)]
enum Piece {
    Head(Head),
    /// Shared with frames of further connections.
    Chunk(Bytes),
}

impl Piece {
    fn buf(&self) -> &dyn Buf {
        match self {
            Self::Head(head) => head,
            Self::Chunk(chunk) => chunk,
        }
    }

    fn buf_mut(&mut self) -> &mut dyn Buf {
        match self {
            Self::Head(head) => head,
            Self::Chunk(chunk) => chunk,
        }
    }
}

/// Pieces on their way into a socket.
#[derive(Debug, Default)]
pub(crate) struct Pieces(VecDeque<Piece>);

impl Pieces {
    /// Most slices of a vectored write of tokio.
    const MANY: usize = 64;

    /// Adds the frame of a packet. A packet that is too long for a frame is logged and left out.
    pub(crate) fn push(&mut self, packet: OutgoingPacket, framing: Framing, max_frame: usize) {
        let (channel, length) = (packet.channel, packet.length());
        let Some(head) = framing.head(channel, length, packet.header(), max_frame) else {
            tracing::error!(channel, length, "not sent: too long");
            return;
        };
        self.0.push_back(Piece::Head(head));
        let chunks = packet.into_chunks().into_iter();
        self.0.extend(chunks.map(Piece::Chunk));
    }

    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= Self::MANY
    }
}

impl Buf for Pieces {
    fn remaining(&self) -> usize {
        self.0.iter().map(|piece| piece.buf().remaining()).sum()
    }

    fn chunk(&self) -> &[u8] {
        self.0.front().map_or(&[], |piece| piece.buf().chunk())
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let filled = slices.iter_mut().zip(&self.0);
        filled
            .map(|(slice, piece)| *slice = IoSlice::new(piece.buf().chunk()))
            .count()
    }

    fn advance(&mut self, mut count: usize) {
        while let Some(piece) = self.0.front_mut() {
            let length = piece.buf().remaining();
            if count < length {
                piece.buf_mut().advance(count);
                return;
            }
            count -= length;
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn pieces_advance_across_their_borders() {
        let mut pieces = Pieces::default();
        let head = Cursor::new(b"01234".iter().copied().collect());
        pieces.0.push_back(Piece::Head(head));
        pieces.0.push_back(Piece::Chunk(Bytes::from("abc")));
        pieces.0.push_back(Piece::Chunk(Bytes::from("d")));
        pieces.advance(2);
        let mut slices = [IoSlice::new(&[]); 2];
        assert_eq!(pieces.chunks_vectored(&mut slices), 2);
        assert_eq!([&*slices[0], &*slices[1]], [&b"234"[..], b"abc"]);
        pieces.advance(4);
        assert_eq!((pieces.chunk(), pieces.remaining()), (&b"bc"[..], 3));
        pieces.advance(3);
        assert_eq!((pieces.chunk(), pieces.remaining()), (&b""[..], 0));
    }
}
