//! `Framing`: the messages of a connection.

use syncvar_runtime::unstable::packet::{Frames, Segments, UpdateForm};
use syncvar_runtime::{Channel, Encoding, PacketLimits};

use super::MessageType;
use crate::link::header_bytes::MAX_HEADER;

/// Longest chunk for datagrams, in bytes. QUIC's smallest packet leaves so much.
pub(crate) const CHUNK_SIZE: usize = 1_100;

const _: () = assert!(CHUNK_SIZE + MAX_HEADER == PacketLimits::MIN_DATAGRAM);

/// Returns the length of a server's longest datagram on a transport with these limits; `None` if the longest chunk does not fit.
pub(crate) fn datagram_size(limits: &PacketLimits) -> Option<usize> {
    let is_enough = limits.datagrams && limits.max_unreliable >= PacketLimits::MIN_DATAGRAM;
    is_enough.then_some(limits.max_unreliable)
}

/// Message format of a connection, equal on both sides.
///
/// ```
/// use syncvar::{Framing, ServerConfig, wire::Encoding};
///
/// assert_eq!(ServerConfig::default().framing, Framing::Compact);
/// assert_eq!(Framing::Unet.encoding(), Encoding::Unet);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framing {
    /// Messages of Unity's UNet HLAPI 1.1.1, with values in [`Encoding::Unet`].
    #[default]
    Unet,
    /// Messages of many objects, with values in [`Encoding::Compact`]: fewer bytes and less time. Both
    /// sides must be `syncvar`.
    Compact,
}

impl Framing {
    /// Returns the encoding of the values in its messages.
    pub const fn encoding(self) -> Encoding {
        match self {
            Self::Unet => Encoding::Unet,
            Self::Compact => Encoding::Compact,
        }
    }

    /// Returns the number in the handshake.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Unet => 0,
            Self::Compact => 1,
        }
    }

    /// Returns the format of the messages with deltas.
    pub(crate) const fn form(self) -> UpdateForm {
        let (batched, update) = match self {
            Self::Unet => (false, MessageType::UpdateVars),
            Self::Compact => (true, MessageType::UpdateBatch),
        };
        UpdateForm {
            batched,
            update: update.number(),
            long: MessageType::Long.number(),
        }
    }

    /// Returns the framing of the messages in a buffer.
    #[inline]
    pub(crate) fn of(segments: &Segments) -> Self {
        if segments.form().batched {
            Self::Compact
        } else {
            Self::Unet
        }
    }

    /// Returns an empty buffer for packets of this size, with their headers.
    pub(crate) fn segments(self, packet_size: usize) -> Segments {
        let packet_size = match self {
            Self::Unet => packet_size,
            Self::Compact => packet_size.saturating_sub(MAX_HEADER),
        };
        Segments::new(packet_size, self.encoding(), self.form())
    }

    /// Returns an empty buffer for a channel of this kind. On an unreliable one in [`Framing::Compact`] its
    /// packets are chunks that fit a datagram.
    pub(crate) fn segments_of(self, kind: Channel, packet_size: usize) -> Segments {
        match (self, kind) {
            (Self::Compact, Channel::Unreliable) => {
                self.segments(packet_size.min(CHUNK_SIZE + MAX_HEADER))
            }
            _ => self.segments(packet_size),
        }
    }
}

/// Returns the messages of a packet.
pub(crate) fn frames(packet: &[u8]) -> Frames<'_> {
    Frames::new(packet, MessageType::Long.number())
}
