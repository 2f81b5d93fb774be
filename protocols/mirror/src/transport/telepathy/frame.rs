//! Frames: a length, most significant byte first, and a message.

use bytes::{Buf, Bytes, BytesMut};

/// The bytes of a frame's length.
const HEAD: usize = 4;

/// How much is read at once, at least.
const READ: usize = 8 * 1024;

/// What goes before a message of so many bytes. `None` if no frame is as long, or it is empty: the
/// other side would close the connection.
///
/// ```
/// use syncvar_mirror::transport::telepathy::head;
///
/// assert_eq!(head(14), Some([0, 0, 0, 14]));
/// assert_eq!(head(0), None);
/// ```
pub fn head(message: usize) -> Option<[u8; 4]> {
    let length = u32::try_from(message).ok()?;
    (length != 0).then(|| length.to_be_bytes())
}

/// A stream, taken apart into frames.
///
/// ```
/// use bytes::BufMut;
/// use syncvar_mirror::transport::telepathy::Frames;
///
/// let mut frames = Frames::new(16_384);
/// frames.buffer().put_slice(b"\x00\x00\x00\x03abc\x00\x00");
/// assert_eq!(frames.next_frame(), Ok(Some("abc".into())));
/// assert_eq!(frames.next_frame(), Ok(None));
/// frames.buffer().put_slice(b"\x00\x01d");
/// assert_eq!(frames.next_frame(), Ok(Some("d".into())));
/// ```
#[derive(Debug)]
pub struct Frames {
    buffer: BytesMut,
    max_frame: usize,
}

/// A frame that may not be: the stream is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Its length is 0.
    #[error("a frame of no bytes")]
    Empty,
    /// It is longer than allowed.
    #[error("a frame of {0} bytes")]
    TooLong(u32),
}

impl Frames {
    /// Takes frames of up to `max_frame` bytes.
    pub fn new(max_frame: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            max_frame,
        }
    }

    /// Where the bytes of the stream are to be appended; has room for some.
    pub fn buffer(&mut self) -> &mut BytesMut {
        self.buffer.reserve(READ);
        &mut self.buffer
    }

    /// The next frame, if all of it has come.
    ///
    /// # Errors
    ///
    /// When its length is not allowed, before the rest has come; and from then on every time.
    pub fn next_frame(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some(&head) = self.buffer.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(head);
        if length == 0 {
            return Err(FrameError::Empty);
        }
        let message = usize::try_from(length)
            .ok()
            .filter(|&message| message <= self.max_frame)
            .ok_or(FrameError::TooLong(length))?;
        if self.buffer.len().saturating_sub(HEAD) < message {
            return Ok(None);
        }
        self.buffer.advance(HEAD);
        Ok(Some(self.buffer.split_to(message).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(message: &[u8]) -> Vec<u8> {
        [&head(message.len()).unwrap()[..], message].concat()
    }

    #[test]
    fn the_frame_of_wire_md_is_written_and_read() {
        let bytes = hex::decode("0000000e5bb9725188dbba3f02bcaa0206c1").unwrap();
        let batch = hex::decode("5bb9725188dbba3f02bcaa0206c1").unwrap();
        assert_eq!(frame(&batch), bytes);
        let mut frames = Frames::new(14);
        frames.buffer().extend_from_slice(&bytes);
        assert_eq!(frames.next_frame().unwrap().unwrap(), batch);
        assert_eq!(frames.next_frame(), Ok(None));
    }

    #[test]
    fn a_length_that_is_not_allowed_is_an_error_before_the_rest_has_come() {
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
        fn messages_come_out_as_they_went_in_however_the_stream_is_cut(
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
