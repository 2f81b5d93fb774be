//! `MessageKind`: packets in binary messages.

use bytes::Bytes;
use syncvar_runtime::Channel;
use syncvar_tokio::tasks::{Arrival, OutgoingPacket};

/// Content of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// The number of the channel, and the packet.
    #[default]
    Numbered,
    /// The packet: Mirror's `SimpleWebTransport`, whose only channel is the reliable one.
    Plain,
}

impl MessageKind {
    /// Returns the bytes of a message besides its packet.
    pub(crate) const fn overhead(self) -> usize {
        match self {
            Self::Numbered => 1,
            Self::Plain => 0,
        }
    }

    /// Returns the packet of a message. `None` for a message without one.
    pub(crate) fn split(self, message: Bytes) -> Option<Arrival> {
        let (channel, packet) = match self {
            Self::Numbered => Arrival::split_numbered(message)?,
            Self::Plain if message.is_empty() => return None,
            Self::Plain => (Channel::Reliable.number(), message),
        };
        Some(Arrival::by_stream(channel, packet))
    }

    /// Returns the message of a packet.
    pub(crate) fn join(self, packet: &OutgoingPacket) -> Bytes {
        match self {
            Self::Numbered => packet.to_numbered(),
            Self::Plain => packet.to_bytes(),
        }
    }
}
