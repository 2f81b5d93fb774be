//! Segments, as they stand in a datagram, and the arithmetic of their numbers.

use bytes::{Buf, BufMut, BytesMut};

use super::KcpError;

/// The bytes of a segment before its data.
pub(super) const HEAD: usize = 24;

/// What a segment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Push,
    Ack,
    AskWindow,
    TellWindow,
}

impl Command {
    fn read(number: u8) -> Option<Self> {
        match number {
            81 => Some(Self::Push),
            82 => Some(Self::Ack),
            83 => Some(Self::AskWindow),
            84 => Some(Self::TellWindow),
            _ => None,
        }
    }

    fn number(self) -> u8 {
        match self {
            Self::Push => 81,
            Self::Ack => 82,
            Self::AskWindow => 83,
            Self::TellWindow => 84,
        }
    }
}

/// A piece of what goes to the peer: data, an acknowledgement, or a word about the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment<'a> {
    pub(super) conversation: u32,
    pub(super) command: Command,
    /// How many fragments of the message follow this one.
    pub(super) fragment: u8,
    /// How many segments its sender can take.
    pub(super) window: u16,
    /// When it was sent; of an ack, when that which it acknowledges was.
    pub(super) timestamp: u32,
    pub(super) number: u32,
    /// The first number that has not come.
    pub(super) una: u32,
    pub(super) data: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Takes the next segment out of a body.
    pub(super) fn read(body: &mut &'a [u8]) -> Result<Self, KcpError> {
        let malformed = |_| KcpError::Malformed;
        let conversation = body.try_get_u32_le().map_err(malformed)?;
        let command = body.try_get_u8().map_err(malformed)?;
        let command = Command::read(command).ok_or(KcpError::Malformed)?;
        let fragment = body.try_get_u8().map_err(malformed)?;
        let window = body.try_get_u16_le().map_err(malformed)?;
        let timestamp = body.try_get_u32_le().map_err(malformed)?;
        let number = body.try_get_u32_le().map_err(malformed)?;
        let una = body.try_get_u32_le().map_err(malformed)?;
        let length = body.try_get_u32_le().map_err(malformed)?;
        let length = usize::try_from(length).map_err(|_| KcpError::Malformed)?;
        let (data, rest) = body.split_at_checked(length).ok_or(KcpError::Malformed)?;
        *body = rest;
        Ok(Self {
            conversation,
            command,
            fragment,
            window,
            timestamp,
            number,
            una,
            data,
        })
    }

    /// Appends it to a datagram.
    pub(super) fn write(&self, datagram: &mut BytesMut) {
        datagram.put_u32_le(self.conversation);
        datagram.put_u8(self.command.number());
        datagram.put_u8(self.fragment);
        datagram.put_u16_le(self.window);
        datagram.put_u32_le(self.timestamp);
        datagram.put_u32_le(self.number);
        datagram.put_u32_le(self.una);
        datagram.put_u32_le(u32::try_from(self.data.len()).unwrap_or(u32::MAX));
        datagram.put_slice(self.data);
    }

    /// How many bytes it takes.
    pub(super) fn len(&self) -> usize {
        HEAD.saturating_add(self.data.len())
    }
}

/// How far `later` is after `earlier`, for numbers and times that start over after the largest;
/// negative where it is before.
pub(super) fn distance(later: u32, earlier: u32) -> i32 {
    later.wrapping_sub(earlier).cast_signed()
}

/// How many numbers `later` is after `earlier`; `None` where it is before.
pub(super) fn ahead(later: u32, earlier: u32) -> Option<usize> {
    usize::try_from(distance(later, earlier)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer of WIRE.md: an ack and a push.
    const ANSWER: &str = "00000000520000103e000000000000000100000000000000\
                          00000000510000100700000000000000010000000100000001";

    #[test]
    fn the_segments_of_wire_md_are_read_and_written() {
        let bytes = hex::decode(ANSWER).unwrap();
        let mut body = &bytes[..];
        let ack = Segment::read(&mut body).unwrap();
        let push = Segment::read(&mut body).unwrap();
        assert!(body.is_empty());
        let expected = Segment {
            conversation: 0,
            command: Command::Ack,
            fragment: 0,
            window: 4096,
            timestamp: 62,
            number: 0,
            una: 1,
            data: &[],
        };
        assert_eq!(ack, expected);
        let expected = Segment {
            command: Command::Push,
            timestamp: 7,
            data: &[1],
            ..expected
        };
        assert_eq!(push, expected);

        let mut written = BytesMut::new();
        ack.write(&mut written);
        push.write(&mut written);
        assert_eq!(written, bytes);
        assert_eq!(ack.len() + push.len(), bytes.len());
    }

    #[test]
    fn a_segment_that_is_cut_off_or_of_no_known_kind_is_an_error() {
        let bytes = hex::decode(ANSWER).unwrap();
        let push = &bytes[HEAD..];
        for length in 0..push.len() {
            assert_eq!(
                Segment::read(&mut &push[..length]),
                Err(KcpError::Malformed)
            );
        }
        let mut unknown = push.to_vec();
        unknown[4] = 85;
        assert_eq!(Segment::read(&mut &unknown[..]), Err(KcpError::Malformed));
        let mut endless = push.to_vec();
        endless[20..24].fill(0xff);
        assert_eq!(Segment::read(&mut &endless[..]), Err(KcpError::Malformed));
    }

    #[test]
    fn numbers_go_on_after_the_largest() {
        assert_eq!(distance(2, u32::MAX), 3);
        assert_eq!(distance(u32::MAX, 2), -3);
        assert_eq!(ahead(2, u32::MAX), Some(3));
        assert_eq!(ahead(u32::MAX, 2), None);
    }
}
