//! Channels, and why a connection ends.

use crate::SchemaDifference;

/// What a channel promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Everything arrives, once and in order; packets may be of any size. The order is kept among all
    /// reliable channels of a connection: the full state of an object goes on channel 0, and its
    /// changes go on the channels of its behaviours.
    Reliable,
    /// A packet may be lost, come twice or out of order; none is larger than the packet size.
    /// State that travels here is not sent again when it is lost.
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

/// Why a connection ended or was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// One side asked for it, in these words.
    #[error("disconnected: {0}")]
    Requested(String),
    /// The two sides do not know the same prefabs, behaviours or fields.
    #[error("{}", describe(.0.as_deref()))]
    SchemaMismatch(Option<Box<SchemaDifference>>),
    /// The two sides speak different versions of the handshake.
    #[error("the server speaks another version of the protocol")]
    VersionMismatch,
    /// The transport lost it.
    #[error("the connection was lost")]
    ConnectionLost,
}

fn describe(difference: Option<&SchemaDifference>) -> String {
    match difference {
        Some(difference) => {
            format!("the two sides are not built from the same schema: {difference}")
        }
        None => "the two sides are not built from the same schema".into(),
    }
}

impl DisconnectReason {
    /// The number on the wire.
    pub(crate) fn number(&self) -> u8 {
        match self {
            Self::Requested(_) => 0,
            Self::SchemaMismatch(_) => 1,
            Self::VersionMismatch => 2,
            Self::ConnectionLost => 3,
        }
    }

    /// The text that goes with the number.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Requested(text) => text.clone(),
            _ => String::new(),
        }
    }

    /// Back from the wire; a number that is not known counts as a request.
    pub(crate) fn from_wire(number: u8, text: String) -> Self {
        match number {
            1 => Self::SchemaMismatch(None),
            2 => Self::VersionMismatch,
            3 => Self::ConnectionLost,
            _ => Self::Requested(text),
        }
    }
}
