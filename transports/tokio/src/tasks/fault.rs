//! `Fault`: the reason for which a server ends a connection.

use crate::TransportStats;

/// Reason for the end of a connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the connection was lost")]
    Lost,
    #[error("the client has left")]
    Left,
    #[error("no word after connecting")]
    Mute,
    #[error("silent for too long")]
    Idle,
    #[error("malformed frame: {0}")]
    Malformed(String),
    #[error("{0}")]
    Packet(String),
}

impl Fault {
    /// Returns the counter of the limit.
    pub(super) fn counter(&self) -> Option<fn(&mut TransportStats) -> &mut u64> {
        match self {
            Self::Mute => Some(|stats| &mut stats.handshake_timeouts),
            Self::Idle => Some(|stats| &mut stats.idle_timeouts),
            Self::Malformed(_) => Some(|stats| &mut stats.malformed_frames),
            Self::Lost | Self::Left | Self::Packet(_) => None,
        }
    }
}
