//! Numbers of zones, clients and voters.

use std::fmt;

use crate::Topic;

/// Number of a zone in a fleet, by the configuration of the fleet. It stays the same over all starts of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneId(pub u32);

impl fmt::Display for ZoneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "zone {}", self.0)
    }
}

impl ZoneId {
    /// Returns the topic of the objects near the border to this zone.
    pub(crate) fn border(self) -> Topic {
        Topic(1 + u64::from(self.0))
    }
}

/// Number of a client in a fleet, random for each session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {:016x}", self.0)
    }
}

/// Number of a process that grants leases, by the configuration of the fleet. At most one process has a number at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoterId(pub u32);
