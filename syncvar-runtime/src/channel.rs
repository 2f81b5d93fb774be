//! `Channel`: delivery guarantees of a transport.

/// Delivery guarantee of a channel.
///
/// The index in the configured list of channels is the channel's number. By default channel 0 is reliable
/// and channel 1 unreliable.
///
/// ```
/// use syncvar::{Channel, ServerConfig};
///
/// let mut config = ServerConfig::default();
/// assert_eq!(config.channels, [Channel::Reliable, Channel::Unreliable]);
/// config.channels.push(Channel::Unreliable); // channel 2
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Packets arrive once and in order, and may have any size. All reliable channels of a connection
    /// share one order: snapshots use channel 0, deltas the channels of their behaviours.
    Reliable,
    /// Packets may be lost, duplicated or reordered, and are at most as large as the packet size. A lost
    /// delta is not repeated.
    Unreliable,
}

impl Channel {
    /// Returns the number of the channel in default settings and in Mirror: 0 or 1.
    pub const fn number(self) -> u8 {
        match self {
            Self::Reliable => 0,
            Self::Unreliable => 1,
        }
    }

    /// Returns the channel with this number in default settings and in Mirror.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Reliable),
            1 => Some(Self::Unreliable),
            _ => None,
        }
    }
}
