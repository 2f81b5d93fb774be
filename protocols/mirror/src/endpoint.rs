//! Conversions between the protocol and [`Endpoint`](syncvar_runtime::Endpoint).

use syncvar_runtime::{Channel, PacketLimits};

use crate::Limits;

impl From<PacketLimits> for Limits {
    fn from(limits: PacketLimits) -> Self {
        Self {
            batch_threshold: limits.batch_threshold,
            max_reliable: limits.max_reliable,
            max_unreliable: limits.max_unreliable,
        }
    }
}

/// Returns the channel with a number. Mirror handles every message on either channel.
pub(crate) fn channel_of(number: u8) -> Channel {
    Channel::from_number(number).unwrap_or(Channel::Unreliable)
}
