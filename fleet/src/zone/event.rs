//! Events, commands and errors of a zone.

use std::fmt;

use bytes::Bytes;
use syncvar_net::SaveError;
use syncvar_runtime::NetId;

use crate::NoIncarnation;
use crate::zone::{ClientId, ZoneId};

/// Event of a [`Zone`](crate::zone::Zone).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ZoneEvent {
    /// The zone holds its lease.
    Activated,
    /// The lease has ended. The objects are frozen until the next [`Activated`](Self::Activated).
    Frozen,
    /// The program has spawned an object with an id beyond those of the zone, by number or after 2^24 objects. Such an id may
    /// belong to an object of a neighbour.
    ForeignId(NetId),
    /// An object has arrived.
    Arrived {
        /// The object.
        object: NetId,
        /// The zone before.
        from: ZoneId,
    },
    /// The new zone has an object that was handed over.
    Left {
        /// The object.
        object: NetId,
        /// Its new zone.
        to: ZoneId,
    },
    /// The receiver has refused an object, which is real here again.
    Returned {
        /// The object.
        object: NetId,
        /// The refusing zone.
        to: ZoneId,
    },
}

/// Command of a client to an object that is real in the zone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The client.
    pub client: ClientId,
    /// The object.
    pub object: NetId,
    /// Bytes of the command.
    pub command: Bytes,
}

/// Reason why a zone does not begin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ZoneError {
    /// The number of the zone is above 255.
    Number(ZoneId),
    /// The incarnation of the server is 0.
    NoIncarnation,
    /// The state cannot be loaded.
    State(SaveError),
}

impl fmt::Display for ZoneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(zone) => write!(f, "the number of {zone} is above 255"),
            Self::NoIncarnation => NoIncarnation.fmt(f),
            Self::State(error) => write!(f, "the state of a zone: {error}"),
        }
    }
}

impl std::error::Error for ZoneError {}

impl From<NoIncarnation> for ZoneError {
    fn from(_: NoIncarnation) -> Self {
        Self::NoIncarnation
    }
}

impl From<SaveError> for ZoneError {
    fn from(error: SaveError) -> Self {
        Self::State(error)
    }
}

/// Reason why an object is not handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandOverError {
    /// The object is not real in this zone.
    NotHere(NetId),
    /// The zone is this one, or without a known process.
    NoSuchZone(ZoneId),
}

impl fmt::Display for HandOverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHere(object) => write!(f, "object {object} is not real in this zone"),
            Self::NoSuchZone(zone) => write!(f, "{zone} is this zone, or has no known process"),
        }
    }
}

impl std::error::Error for HandOverError {}
