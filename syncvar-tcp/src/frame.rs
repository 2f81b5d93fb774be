//! Frames: `[length: u32][channel: u8][packet]`, and what both ends do to a socket.

use std::collections::VecDeque;
use std::io::{self, Cursor, IoSlice};
use std::time::Duration;

use bytes::{Buf, Bytes};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio_util::codec::LengthDelimitedCodec;

/// The length of a frame's length and channel.
const HEADER: usize = 5;

/// Reads frames whose packets are no larger than `max_packet`.
pub(crate) fn codec(max_packet: usize) -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .length_field_type::<u32>()
        .max_frame_length(max_packet.saturating_add(1))
        .new_codec()
}

/// What precedes a packet. `None` where the packet is too long for any frame.
pub(crate) fn header(channel: u8, packet: usize) -> Option<[u8; HEADER]> {
    let length = u32::try_from(packet.checked_add(1)?).ok()?;
    let [a, b, c, d] = length.to_be_bytes();
    Some([a, b, c, d, channel])
}

/// Small packets leave at once, and a peer that has vanished is noticed.
pub(crate) fn configure(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(15))
        .with_interval(Duration::from_secs(5));
    SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// A piece of a frame.
#[derive(Debug)]
pub(crate) enum Piece {
    Header(Cursor<[u8; HEADER]>),
    /// Shared with the frames of other connections.
    Segment(Bytes),
}

impl Piece {
    fn buf(&self) -> &dyn Buf {
        match self {
            Self::Header(header) => header,
            Self::Segment(segment) => segment,
        }
    }

    fn buf_mut(&mut self) -> &mut dyn Buf {
        match self {
            Self::Header(header) => header,
            Self::Segment(segment) => segment,
        }
    }
}

/// Pieces on their way into a socket, for vectored writes.
#[derive(Debug, Default)]
pub(crate) struct Pieces(VecDeque<Piece>);

impl Pieces {
    /// As many as one vectored write of tokio takes.
    const MANY: usize = 64;

    pub(crate) fn push(&mut self, piece: Piece) {
        self.0.push_back(piece);
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
    use bytes::BytesMut;
    use tokio_util::codec::Decoder;

    use super::*;

    #[test]
    fn the_codec_reads_what_a_header_and_a_packet_make() {
        let header = header(2, 3).unwrap();
        assert_eq!(header, [0, 0, 0, 4, 2]);
        let mut input = BytesMut::from(&header[..]);
        input.extend_from_slice(b"abc");
        let frame = codec(3).decode(&mut input).unwrap().unwrap();
        assert_eq!(frame[..], *b"\x02abc");
        assert!(input.is_empty());
    }

    #[test]
    fn a_packet_that_is_too_large_is_an_error_before_it_has_come() {
        let mut input = BytesMut::from(&header(0, 4).unwrap()[..]);
        assert!(codec(3).decode(&mut input).is_err());
    }

    #[test]
    fn no_frame_is_longer_than_its_length_can_say() {
        let longest = usize::try_from(u32::MAX - 1).unwrap();
        assert_eq!(header(7, longest), Some([255, 255, 255, 255, 7]));
        assert_eq!(header(7, longest + 1), None);
        assert_eq!(header(7, usize::MAX), None);
    }

    #[test]
    fn pieces_advance_across_their_borders() {
        let mut pieces = Pieces::default();
        pieces.push(Piece::Header(Cursor::new(*b"01234")));
        pieces.push(Piece::Segment(Bytes::from("abc")));
        pieces.push(Piece::Segment(Bytes::from("d")));
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
