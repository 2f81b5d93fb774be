//! Frames: `[length: u32][channel: u8][packet]`, and what both ends do to a socket.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio_util::codec::LengthDelimitedCodec;

/// Reads frames whose packets are no larger than `max_packet`.
pub(crate) fn codec(max_packet: usize) -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .length_field_type::<u32>()
        .max_frame_length(max_packet.saturating_add(1))
        .new_codec()
}

/// Cuts what precedes a packet off `headers`, whose memory serves many. `None` where the packet is
/// too long for any frame.
pub(crate) fn header(headers: &mut BytesMut, channel: u8, packet: usize) -> Option<Bytes> {
    headers.put_u32(u32::try_from(packet.checked_add(1)?).ok()?);
    headers.put_u8(channel);
    Some(headers.split().freeze())
}

/// Small packets leave at once, and a peer that has vanished is noticed.
pub(crate) fn configure(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(15))
        .with_interval(Duration::from_secs(5));
    SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// Pieces of frames on their way into a socket, for vectored writes.
#[derive(Debug, Default)]
pub(crate) struct Pieces(VecDeque<Bytes>);

impl Pieces {
    /// As many as one vectored write of tokio takes.
    const MANY: usize = 64;

    pub(crate) fn push(&mut self, piece: Bytes) {
        self.0.push_back(piece);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= Self::MANY
    }
}

impl Buf for Pieces {
    fn remaining(&self) -> usize {
        self.0.iter().map(Bytes::len).sum()
    }

    fn chunk(&self) -> &[u8] {
        self.0.front().map_or(&[], |piece| piece)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let filled = slices.iter_mut().zip(&self.0);
        filled.map(|(slice, piece)| *slice = IoSlice::new(piece)).count()
    }

    fn advance(&mut self, mut count: usize) {
        while let Some(piece) = self.0.front_mut() {
            if count < piece.len() {
                piece.advance(count);
                return;
            }
            count -= piece.len();
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::codec::Decoder;

    use super::*;

    #[test]
    fn the_codec_reads_what_a_header_and_a_packet_make() {
        let mut headers = BytesMut::new();
        let header = header(&mut headers, 2, 3).unwrap();
        assert_eq!(header[..], [0, 0, 0, 4, 2]);
        let mut input = BytesMut::from(&header[..]);
        input.extend_from_slice(b"abc");
        let frame = codec(3).decode(&mut input).unwrap().unwrap();
        assert_eq!(frame[..], *b"\x02abc");
        assert!(input.is_empty());
    }

    #[test]
    fn a_packet_that_is_too_large_is_an_error_before_it_has_come() {
        let mut input = BytesMut::from(&[0, 0, 0, 5, 0][..]);
        assert!(codec(3).decode(&mut input).is_err());
        let mut input = BytesMut::from(&[255; 4][..]);
        assert!(codec(usize::MAX).decode(&mut input).unwrap().is_none());
    }

    #[test]
    fn no_frame_is_longer_than_its_length_can_say() {
        let longest = usize::try_from(u32::MAX - 1).unwrap();
        assert!(header(&mut BytesMut::new(), 0, longest).is_some());
        assert!(header(&mut BytesMut::new(), 0, longest + 1).is_none());
        assert!(header(&mut BytesMut::new(), 0, usize::MAX).is_none());
    }

    #[test]
    fn pieces_advance_across_their_borders() {
        let mut pieces = Pieces::default();
        for piece in ["ab", "cde", "f"] {
            pieces.push(Bytes::from(piece));
        }
        let mut slices = [IoSlice::new(&[]); 2];
        assert_eq!(pieces.chunks_vectored(&mut slices), 2);
        assert_eq!([&*slices[0], &*slices[1]], [&b"ab"[..], b"cde"]);
        pieces.advance(3);
        assert_eq!((pieces.chunk(), pieces.remaining()), (&b"de"[..], 3));
        pieces.advance(3);
        assert_eq!((pieces.chunk(), pieces.remaining()), (&b""[..], 0));
    }
}
