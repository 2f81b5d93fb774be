//! Settings of a zone.

use std::time::Duration;

use syncvar_net::ServerConfig;

use crate::zone::{VoterId, ZoneId};

/// Settings of a [`Zone`](crate::zone::Zone).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ZoneConfig {
    /// Number of the zone, at most 255. It spawns objects with ids from 2^24 x its number on.
    pub zone: ZoneId,
    /// Vote of this process. At most one process has a number at a time: a standby has its own.
    pub voter: Option<VoterId>,
    /// All voters of the fleet, in an odd number. A zone is active while a majority grants its lease.
    pub voters: Vec<VoterId>,
    /// Duration of a lease: after the end of a process, its zone is without a process for this time. A quarter is more
    /// than the time from an update to the end of the write of its journal. 2 s by default.
    pub lease: Duration,
    /// Whether the zone waits for [`load`](crate::zone::Zone::load) or [`begin_empty`](crate::zone::Zone::begin_empty) once it holds its
    /// lease: for every process of a zone with a journal, also a standby.
    pub awaits_state: bool,
    /// Silence of a gateway after which its players have left; 10 s by default.
    pub gateway_grace: Duration,
    /// Settings of the server. Its incarnation is not 0.
    pub server: ServerConfig,
}

impl ZoneConfig {
    /// Returns the default settings of a zone, without voters.
    pub fn new(zone: ZoneId) -> Self {
        Self {
            zone,
            voter: None,
            voters: Vec::new(),
            lease: Duration::from_secs(2),
            awaits_state: false,
            gateway_grace: Duration::from_secs(10),
            server: ServerConfig::default(),
        }
    }
}
