//! Frames of a stream: a length of four bytes, most significant byte first, a channel, and a packet.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// Bytes before the body of a frame.
const HEAD: usize = 4;

/// Splits the bytes of a stream into packets.
#[derive(Debug)]
pub(crate) struct FrameReader {
    buffer: BytesMut,
    max_frame: usize,
}

/// A frame that ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameError {
    Empty,
    TooLong(u32),
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("no packet in a frame"),
            Self::TooLong(length) => write!(f, "frame size too big: {length} bytes"),
        }
    }
}

impl FrameReader {
    /// Creates an empty buffer for packets of up to `max_frame` bytes.
    pub(crate) fn new(max_frame: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            max_frame,
        }
    }

    /// Adds bytes of the stream.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next packet with its channel. `None`: its end has not arrived.
    pub(crate) fn next_packet(&mut self) -> Result<Option<(u8, Bytes)>, FrameError> {
        let Some(&head) = self.buffer.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(head);
        if length < 2 {
            return Err(FrameError::Empty);
        }
        let body = usize::try_from(length).unwrap_or(usize::MAX);
        if body.saturating_sub(1) > self.max_frame {
            return Err(FrameError::TooLong(length));
        }
        if self.buffer.len().saturating_sub(HEAD) < body {
            return Ok(None);
        }
        self.buffer.advance(HEAD);
        let mut frame = self.buffer.split_to(body).freeze();
        let channel = frame.get_u8();
        Ok(Some((channel, frame)))
    }
}

/// Returns the frame of a packet. `None` for a packet whose length exceeds the number.
pub(crate) fn frame(channel: u8, packet: &[u8]) -> Option<Bytes> {
    let length = u32::try_from(packet.len()).ok()?.checked_add(1)?;
    let mut frame = BytesMut::with_capacity(packet.len().saturating_add(HEAD).saturating_add(1));
    frame.put_u32(length);
    frame.put_u8(channel);
    frame.put_slice(packet);
    Some(frame.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_survive_any_cut_of_the_stream() {
        let stream = [frame(0, b"abc"), frame(7, b"d"), frame(1, &[9; 300])].map(Option::unwrap);
        let stream = stream.concat();
        for size in 1..stream.len() {
            let mut frames = FrameReader::new(300);
            let mut packets = Vec::new();
            for part in stream.chunks(size) {
                frames.extend(part);
                while let Some(packet) = frames.next_packet().unwrap() {
                    packets.push(packet);
                }
            }
            let expected: [(u8, Bytes); 3] = [
                (0, Bytes::from_static(b"abc")),
                (7, Bytes::from_static(b"d")),
                (1, vec![9; 300].into()),
            ];
            assert_eq!(packets, expected, "in parts of {size} bytes");
        }
    }

    #[test]
    fn empty_and_too_long_frames_are_errors() {
        let error = |bytes: &[u8]| {
            let mut frames = FrameReader::new(16);
            frames.extend(bytes);
            frames.next_packet()
        };
        assert_eq!(error(&[0, 0, 0, 0]), Err(FrameError::Empty));
        assert_eq!(error(&[0, 0, 0, 1, 5]), Err(FrameError::Empty));
        assert_eq!(error(&[0, 0, 0, 18]), Err(FrameError::TooLong(18)));
        assert_eq!(error(&[0, 0, 0, 17]), Ok(None));
    }
}
