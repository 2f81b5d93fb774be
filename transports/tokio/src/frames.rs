//! Frames: a length, most significant byte first, and a body.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use bytes::{Buf, Bytes, BytesMut};

/// Bytes of a frame's length.
const HEAD: usize = 4;

/// Least room for one read, in bytes.
#[cfg(any(test, feature = "telepathy"))]
const READ: usize = 8 * 1024;

/// Returns the head of Telepathy's frame for a message of this length. `None` for an empty message and
/// for a frame beyond 4 GiB: the peer would close the connection.
///
/// ```
/// use syncvar::mirror::telepathy::head;
///
/// assert_eq!(head(14), Some([0, 0, 0, 14]));
/// assert_eq!(head(0), None);
/// ```
#[cfg(feature = "telepathy")]
pub fn head(message: usize) -> Option<[u8; 4]> {
    let length = u32::try_from(message).ok()?;
    (length != 0).then(|| length.to_be_bytes())
}

/// Reader of the frames in a stream.
///
/// ```
/// # #[cfg(feature = "telepathy")] {
/// use bytes::BufMut;
/// use syncvar::mirror::telepathy::Frames;
///
/// let mut frames = Frames::new(16_384);
/// frames.buffer().put_slice(b"\x00\x00\x00\x03abc\x00\x00");
/// assert_eq!(frames.next_frame(), Ok(Some("abc".into())));
/// assert_eq!(frames.next_frame(), Ok(None));
/// frames.buffer().put_slice(b"\x00\x01d");
/// assert_eq!(frames.next_frame(), Ok(Some("d".into())));
/// # }
/// ```
#[derive(Debug)]
pub struct Frames {
    buffer: BytesMut,
    min_frame: usize,
    max_frame: usize,
}

/// Malformed frame. The stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The frame lacks a packet.
    #[error("no packet in a frame")]
    Empty,
    /// The frame is longer than allowed.
    #[error("frame size too big: {0} bytes")]
    TooLong(u32),
}

impl Frames {
    /// Reads frames of 1 to `max_frame` bytes.
    #[cfg(feature = "telepathy")]
    pub fn new(max_frame: usize) -> Self {
        Self::with_sizes(1, max_frame)
    }

    pub(crate) fn with_sizes(min_frame: usize, max_frame: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            min_frame,
            max_frame,
        }
    }

    /// Returns the buffer to append the bytes of the stream to, with room for at least 8 KiB.
    #[cfg(any(test, feature = "telepathy"))]
    pub fn buffer(&mut self) -> &mut BytesMut {
        self.buffer.reserve(READ);
        &mut self.buffer
    }

    /// Appends bytes of the stream.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns whether no part of a frame is left.
    #[cfg(any(feature = "tcp", feature = "telepathy"))]
    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the next frame, if it is complete.
    ///
    /// # Errors
    ///
    /// For a length that is not allowed, as soon as the head has arrived; from then on every time.
    pub fn next_frame(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some(&head) = self.buffer.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(head);
        let message = usize::try_from(length)
            .ok()
            .filter(|&message| message <= self.max_frame)
            .ok_or(FrameError::TooLong(length))?;
        if message < self.min_frame {
            return Err(FrameError::Empty);
        }
        if self.buffer.len().saturating_sub(HEAD) < message {
            return Ok(None);
        }
        self.buffer.advance(HEAD);
        let frame = if self.buffer.len() == message {
            // The buffer leaves with its last frame.
            std::mem::take(&mut self.buffer)
        } else {
            self.buffer.split_to(message)
        };
        Ok(Some(frame.freeze()))
    }
}

#[cfg(feature = "telepathy")]
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(message: &[u8]) -> Vec<u8> {
        [&head(message.len()).unwrap()[..], message].concat()
    }

    #[test]
    fn frame_of_wire_md_is_written_and_read() {
        let bytes = hex::decode("0000000e5bb9725188dbba3f02bcaa0206c1").unwrap();
        let batch = hex::decode("5bb9725188dbba3f02bcaa0206c1").unwrap();
        assert_eq!(frame(&batch), bytes);
        let mut frames = Frames::new(14);
        frames.buffer().extend_from_slice(&bytes);
        assert_eq!(frames.next_frame().unwrap().unwrap(), batch);
        assert_eq!(frames.next_frame(), Ok(None));
    }

    #[test]
    fn wrong_length_fails_before_the_body_arrives() {
        for (head, error) in [
            ([0, 0, 0, 0], FrameError::Empty),
            ([0, 0, 64, 1], FrameError::TooLong(16_385)),
            ([255; 4], FrameError::TooLong(u32::MAX)),
        ] {
            let mut frames = Frames::new(16_384);
            frames.buffer().extend_from_slice(&frame(b"good"));
            frames.buffer().extend_from_slice(&head);
            assert_eq!(frames.next_frame(), Ok(Some("good".into())));
            assert_eq!(frames.next_frame(), Err(error));
            assert_eq!(frames.next_frame(), Err(error));
        }
        let mut frames = Frames::new(16_384);
        frames.buffer().extend_from_slice(&frame(&[7; 16_384]));
        assert_eq!(frames.next_frame().unwrap().unwrap().len(), 16_384);
    }

    proptest! {
        #[test]
        fn messages_survive_any_cut_of_the_stream(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 0..10),
            cuts in prop::collection::vec(1_usize..20, 1..10),
        ) {
            let stream: Vec<u8> = messages.iter().flat_map(|message| frame(message)).collect();
            let mut frames = Frames::new(50);
            let mut read = Vec::new();
            let mut rest = &stream[..];
            for cut in cuts.iter().cycle() {
                let (now, later) = rest.split_at(*cut.min(&rest.len()));
                frames.buffer().extend_from_slice(now);
                while let Some(message) = frames.next_frame().unwrap() {
                    read.push(message.to_vec());
                }
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(read, messages);
        }
    }
}
