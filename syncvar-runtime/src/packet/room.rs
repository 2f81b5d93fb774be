//! `Room`: how long a message may be.

use super::UpdateForm;
use super::frame::frame_length;
use crate::{MAX_BYTES, WriteErrorKind};

/// How long a message may be, on a channel of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The most bytes of a payload on a reliable channel, of a packet on an unreliable one.
    bytes: usize,
    reliable: bool,
}

/// The longest payload that a message can announce.
fn longest() -> usize {
    usize::try_from(u32::MAX).unwrap_or(usize::MAX)
}

impl Room {
    /// That of a reliable channel for payloads of so many bytes; at least [`MAX_BYTES`], which
    /// everybody can be sent.
    #[inline]
    pub fn reliable(max_message_size: usize) -> Self {
        Self {
            bytes: max_message_size.clamp(MAX_BYTES, longest()),
            reliable: true,
        }
    }

    /// That of an unreliable channel for packets of so many bytes.
    #[inline]
    pub fn unreliable(packet_size: usize) -> Self {
        Self {
            bytes: packet_size,
            reliable: false,
        }
    }

    /// That for whatever has a form: what was within the limits of one channel is so on another.
    pub fn any() -> Self {
        Self::reliable(usize::MAX)
    }

    /// Messages of so many bytes, what stands before the payload included, fit in every encoding. Of
    /// those that are longer, [`refusal`](Self::refusal) knows.
    #[inline]
    pub(super) fn surely(self) -> usize {
        self.bytes.min(MAX_BYTES)
    }

    /// What is wrong with a payload of so many bytes, if anything.
    pub fn refusal(self, form: UpdateForm, payload: usize) -> Option<WriteErrorKind> {
        let limit = match form.batched {
            false => MAX_BYTES,
            true if self.reliable => self.bytes,
            true => longest(),
        };
        if payload > limit {
            let length = payload;
            return Some(WriteErrorKind::MessageTooLarge { length, limit });
        }
        let (length, limit) = (frame_length(payload) + payload, self.bytes);
        let fits = self.reliable || length <= limit;
        (!fits).then_some(WriteErrorKind::TooLargeForUnreliable { length, limit })
    }
}

#[cfg(test)]
mod tests {
    use super::Room;
    use crate::WriteErrorKind;
    use crate::packet::UpdateForm;
    use crate::packet::test_forms::{BATCHED, SINGLE};

    /// How much too large a payload is, and for which limit.
    fn too_large(room: Room, form: UpdateForm, payload: usize) -> Option<(usize, usize)> {
        match room.refusal(form, payload)? {
            WriteErrorKind::MessageTooLarge { length, limit }
            | WriteErrorKind::TooLargeForUnreliable { length, limit } => Some((length, limit)),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn compact_has_room_for_the_setting_and_unet_for_what_two_bytes_can_say() {
        let room = Room::reliable(1_000_000);
        assert_eq!(too_large(room, BATCHED, 1_000_000), None);
        let expected = Some((1_000_001, 1_000_000));
        assert_eq!(too_large(room, BATCHED, 1_000_001), expected);
        assert_eq!(too_large(room, SINGLE, 65_535), None);
        let expected = Some((65_536, 65_535));
        assert_eq!(too_large(room, SINGLE, 65_536), expected);
        let room = Room::unreliable(usize::MAX);
        assert_eq!(too_large(room, SINGLE, 65_536), expected);
    }

    #[test]
    fn a_setting_below_what_everybody_can_be_sent_is_that() {
        let room = Room::reliable(0);
        assert_eq!(too_large(room, BATCHED, 65_535), None);
        let expected = Some((65_536, 65_535));
        assert_eq!(too_large(room, BATCHED, 65_536), expected);
    }

    #[test]
    fn an_unreliable_channel_has_room_for_its_packets_header_included() {
        for (packet_size, fits, length) in [
            (1340, 1336, 1341),
            (65_539, 65_535, 65_546),
            (65_546, 65_536, 65_547),
        ] {
            let room = Room::unreliable(packet_size);
            assert_eq!(too_large(room, BATCHED, fits), None);
            let expected = Some((length, packet_size));
            assert_eq!(too_large(room, BATCHED, fits + 1), expected);
        }
    }
}
