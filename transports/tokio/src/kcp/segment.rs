//! Segments in a datagram, and the arithmetic of their numbers.

use bytes::{Buf, BufMut, BytesMut};

use super::KcpError;

/// Bytes of a segment before its data.
pub(super) const HEAD: usize = 24;

/// Most data of a segment, in bytes.
pub(crate) const MAX_FRAGMENT: usize = super::MAX_DATAGRAM - super::HEAD - HEAD;

/// Purpose of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentCommand {
    Push,
    Ack,
    AskWindow,
    TellWindow,
}

impl SegmentCommand {
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

/// Segment: data, an ack, or a message about the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment<'a> {
    pub(super) conversation: u32,
    pub(super) command: SegmentCommand,
    /// Number of later fragments of the message.
    pub(super) fragment: u8,
    /// Window of the sender, in segments.
    pub(super) window: u16,
    /// Send time; for an ack, that of the acknowledged segment.
    pub(super) timestamp: u32,
    pub(super) number: u32,
    /// First number that the sender is missing.
    pub(super) una: u32,
    pub(super) data: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Reads the next segment of a body.
    pub(super) fn read(body: &mut &'a [u8]) -> Result<Self, KcpError> {
        let malformed = |_| KcpError::Malformed;
        let conversation = body.try_get_u32_le().map_err(malformed)?;
        let command = body.try_get_u8().map_err(malformed)?;
        let command = SegmentCommand::read(command).ok_or(KcpError::Malformed)?;
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

    /// Appends the segment to a datagram.
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

    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        HEAD.saturating_add(self.data.len())
    }
}

/// Returns the distance from `earlier` to `later`, for numbers and times that wrap around; negative if
/// `later` precedes.
pub(super) fn distance(later: u32, earlier: u32) -> i32 {
    later.wrapping_sub(earlier).cast_signed()
}

/// Returns the distance from `earlier` to `later`; `None` if `later` precedes.
pub(super) fn ahead(later: u32, earlier: u32) -> Option<usize> {
    usize::try_from(distance(later, earlier)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answer in WIRE.md: an ack and data.
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
            command: SegmentCommand::Ack,
            fragment: 0,
            window: 4096,
            timestamp: 62,
            number: 0,
            una: 1,
            data: &[],
        };
        assert_eq!(ack, expected);
        let expected = Segment {
            command: SegmentCommand::Push,
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
