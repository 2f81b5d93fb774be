//! Deltas: the schedule of dirty objects, and the bandwidth limits of connections.

pub(super) mod bandwidth;
#[cfg(feature = "parallel")]
pub(super) mod parallel;
mod profile;
pub(super) mod restricted;
pub(super) mod schedule;
pub(super) mod stopped;
mod ticks;
mod unsent;
pub(super) mod update;

use crate::server::replication::bandwidth::BandwidthLimiter;
use crate::server::replication::schedule::Schedule;
use crate::server::replication::stopped::StoppedFields;
use crate::server::replication::ticks::Ticks;
use crate::server::replication::update::Scratch;

/// State of the update loop.
#[derive(Debug, Default)]
pub(super) struct Replication {
    pub(super) schedule: Schedule,
    /// Lists reused by every update.
    pub(super) scratch: Scratch,
    pub(super) bandwidth: Box<BandwidthLimiter>,
    pub(super) stopped: StoppedFields,
    pub(super) ticks: Ticks,
}
