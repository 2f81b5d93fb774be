//! Frames: message headers, and the split of packets into messages.
//!
//! The short form is the size of the payload (`u16`) and the type (`i16`). The long form is for payloads
//! beyond a `u16`: a short form of a reserved type around the length (`u32`) and the type (`i16`),
//! followed by the payload. WIRE.md, section 4.

use crate::{MAX_BYTES, NetworkReader, ReadError, ReadErrorKind};

/// Header length of the short form, in bytes.
pub const FRAME: usize = 4;

/// Header length of the long form, in bytes.
pub const LONG_FRAME: usize = 10;

/// Size in the outer header of the long form: inner length and type.
const LONG_SIZE: u8 = 6;

/// Returns the header length for a payload of this length.
#[inline]
pub fn frame_length(payload: usize) -> usize {
    if payload > MAX_BYTES {
        LONG_FRAME
    } else {
        FRAME
    }
}

/// Returns the header of the long form without the inner type. `long` is the reserved type.
#[inline]
pub fn long_head(long: i16, payload: u32) -> [u8; LONG_FRAME - 2] {
    let [low, high] = long.to_le_bytes();
    let [a, b, c, d] = payload.to_le_bytes();
    [LONG_SIZE, 0, low, high, a, b, c, d]
}

/// Message in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Number of the message type.
    pub message_type: i16,
    /// Payload.
    pub payload: &'a [u8],
    /// Set if the message has the long form.
    pub long: bool,
}

impl Frame<'_> {
    /// Returns the length of the message with its header.
    #[inline]
    pub fn length(&self) -> usize {
        let head = if self.long { LONG_FRAME } else { FRAME };
        head + self.payload.len()
    }
}

/// Iterator over the messages of a packet; ends after the first error.
pub struct Frames<'a> {
    reader: NetworkReader<'a>,
    long: i16,
    failed: bool,
}

impl<'a> Frames<'a> {
    /// Creates an iterator over a packet. `long` is the reserved type of the long form.
    #[inline]
    pub fn new(packet: &'a [u8], long: i16) -> Self {
        Self {
            reader: NetworkReader::new(packet),
            long,
            failed: false,
        }
    }

    fn read(&mut self) -> Result<Frame<'a>, ReadError> {
        let size = self.reader.read_u16()?;
        let message_type = self.reader.read_i16()?;
        if message_type == self.long {
            return self.read_long(size);
        }
        let payload = self.reader.read_bytes(usize::from(size))?;
        Ok(Frame {
            message_type,
            payload,
            long: false,
        })
    }

    /// Reads the rest of the long form. After an error, the border of the message is unknown.
    #[cold]
    fn read_long(&mut self, size: u16) -> Result<Frame<'a>, ReadError> {
        if size != u16::from(LONG_SIZE) {
            return Err(self.invalid("size of the head of a long message", size));
        }
        let length = usize::try_from(self.reader.read_u32()?).unwrap_or(usize::MAX);
        let message_type = self.reader.read_i16()?;
        if message_type == self.long {
            let number = message_type.unsigned_abs();
            return Err(self.invalid("type of a long message", number));
        }
        let payload = self.reader.read_bytes(length)?;
        Ok(Frame {
            message_type,
            payload,
            long: true,
        })
    }

    fn invalid(&self, what: &'static str, value: u16) -> ReadError {
        let value = value.into();
        self.reader
            .error(ReadErrorKind::InvalidValue { what, value })
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.reader.remaining() == 0 {
            return None;
        }
        let frame = self.read();
        self.failed = frame.is_err();
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Frames, LONG_FRAME, ReadError, long_head};

    /// Reserved type of the long form.
    const LONG: i16 = 24;

    /// Returns a message in the long form.
    fn long(message_type: i16, payload: &[u8]) -> Vec<u8> {
        let head = long_head(LONG, u32::try_from(payload.len()).unwrap());
        [&head[..], &message_type.to_le_bytes(), payload].concat()
    }

    fn cut(packet: &[u8]) -> Vec<Result<Frame<'_>, String>> {
        let text = |error: ReadError| error.to_string();
        Frames::new(packet, LONG)
            .map(|frame| frame.map_err(text))
            .collect()
    }

    #[test]
    fn packet_is_split_until_the_first_error() {
        let mut frames = Frames::new(&[1, 0, 12, 0, 1, 9, 0, 12, 0], LONG);
        assert_eq!(frames.next().unwrap().unwrap().payload, [1]);
        let error = frames.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "9 bytes needed, 0 left, at byte 9");
        assert!(frames.next().is_none());
    }

    #[test]
    fn long_message_is_split_off_with_its_type_and_borrowed() {
        for length in [0, 1, 65_535, 65_536, 200_000] {
            let payload = vec![7; length];
            let packet = [&long(22, &payload)[..], &[1, 0, 12, 0, 1]].concat();
            let frame = |message_type, payload, long| Frame {
                message_type,
                payload,
                long,
            };
            let expected = [frame(22, &payload[..], true), frame(12, &[1], false)];
            assert_eq!(cut(&packet), expected.map(Ok));
            let frame = Frames::new(&packet, LONG).next().unwrap().unwrap();
            assert_eq!(frame.length(), length + LONG_FRAME);
            assert!(packet.as_ptr_range().contains(&frame.payload.as_ptr()));
        }
    }

    #[test]
    fn malformed_long_message_ends_the_packet() {
        let nested = long(24, &long(22, &[1, 2]));
        let expected = "24 is not a valid type of a long message, at byte 10";
        assert_eq!(cut(&nested), [Err(expected.into())]);
        for size in [0, 5, 7, 255] {
            let mut packet = long(22, &[1, 2]);
            packet[0] = size;
            let expected =
                format!("{size} is not a valid size of the head of a long message, at byte 4");
            assert_eq!(cut(&packet), [Err(expected)]);
        }
        let whole = long(22, &[1, 2, 3]);
        for length in 1..whole.len() {
            assert!(
                matches!(cut(&whole[..length])[..], [Err(_)]),
                "{length} bytes"
            );
        }
        let mut endless = whole;
        endless[4..8].copy_from_slice(&[255; 4]);
        let expected = "4294967295 bytes needed, 3 left, at byte 10";
        assert_eq!(cut(&endless), [Err(expected.into())]);
    }
}
