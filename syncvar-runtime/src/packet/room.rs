//! `Room`: the size limit of a message.

use super::UpdateForm;
use super::frame::frame_length;
use crate::{MAX_BYTES, WriteErrorKind};

/// Size limit of a message on one kind of channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Limit of the payload of a message of many objects, in bytes.
    payload: usize,
    /// Limit of the packet on an unreliable channel, in bytes, for messages of an object or for all.
    packet: Option<(usize, Packets)>,
}

/// Messages that a limit of packets concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packets {
    All,
    /// Messages of an object; longer messages of many objects take a reliable carrier.
    Single,
}

/// Returns the longest payload that a header can announce.
fn longest() -> usize {
    usize::try_from(u32::MAX).unwrap_or(usize::MAX)
}

impl Room {
    /// Creates the limit of a reliable channel: a payload length, at least [`MAX_BYTES`], which every
    /// receiver accepts.
    #[inline]
    pub fn reliable(max_message_size: usize) -> Self {
        Self {
            payload: max_message_size.clamp(MAX_BYTES, longest()),
            packet: None,
        }
    }

    /// Creates the limit of an unreliable channel: a packet length.
    #[inline]
    pub fn unreliable(packet_size: usize) -> Self {
        Self {
            payload: longest(),
            packet: Some((packet_size, Packets::All)),
        }
    }

    /// Creates the limit of state on an unreliable channel: a packet length for messages of an object. Those
    /// of many objects take a reliable carrier if they are longer, so they have its limit.
    #[inline]
    pub fn state(packet_size: usize, max_message_size: usize) -> Self {
        Self {
            packet: Some((packet_size, Packets::Single)),
            ..Self::reliable(max_message_size)
        }
    }

    /// Creates the widest limit, for messages that were checked on their channel before.
    #[inline]
    pub fn any() -> Self {
        Self::reliable(usize::MAX)
    }

    /// Returns the length, with the header, up to which a message fits in every encoding. Longer messages need
    /// [`refusal`](Self::refusal).
    #[inline]
    pub(super) fn always_fits(self) -> usize {
        let packet = self.packet.map_or(MAX_BYTES, |(packet, _)| packet);
        packet.min(MAX_BYTES)
    }

    /// Returns the error of a payload above the limit.
    pub fn refusal(self, form: UpdateForm, payload: usize) -> Option<WriteErrorKind> {
        let limit = if form.batched {
            self.payload
        } else {
            MAX_BYTES
        };
        if payload > limit {
            let length = payload;
            return Some(WriteErrorKind::MessageTooLarge { length, limit });
        }
        let (limit, packets) = self.packet?;
        let length = frame_length(payload) + payload;
        let concerned = packets == Packets::All || !form.batched;
        (concerned && length > limit)
            .then_some(WriteErrorKind::TooLargeForUnreliable { length, limit })
    }
}

#[cfg(test)]
mod tests {
    use super::Room;
    use crate::WriteErrorKind;
    use crate::packet::UpdateForm;
    use crate::packet::test_forms::{BATCHED, SINGLE};

    /// Returns length and limit of a refused payload.
    fn too_large(room: Room, form: UpdateForm, payload: usize) -> Option<(usize, usize)> {
        match room.refusal(form, payload)? {
            WriteErrorKind::MessageTooLarge { length, limit }
            | WriteErrorKind::TooLargeForUnreliable { length, limit } => Some((length, limit)),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn compact_limit_is_the_setting_and_unet_limit_is_16_bits() {
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
    fn setting_below_the_universal_limit_is_raised() {
        let room = Room::reliable(0);
        assert_eq!(too_large(room, BATCHED, 65_535), None);
        let expected = Some((65_536, 65_535));
        assert_eq!(too_large(room, BATCHED, 65_536), expected);
    }

    #[test]
    fn long_state_of_many_objects_takes_a_reliable_carrier() {
        let room = Room::state(1340, 1_000_000);
        assert_eq!(too_large(room, BATCHED, 1_000_000), None);
        let expected = Some((1_000_001, 1_000_000));
        assert_eq!(too_large(room, BATCHED, 1_000_001), expected);
        assert_eq!(too_large(room, SINGLE, 1336), None);
        assert_eq!(too_large(room, SINGLE, 1337), Some((1341, 1340)));
    }

    #[test]
    fn unreliable_limit_includes_the_header() {
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
