//! Deltas: the schedule of dirty objects, and the bandwidth limits of connections.

use super::bandwidth::BandwidthLimiter;
use super::schedule::Schedule;
use super::update::Scratch;

/// State of the update loop.
#[derive(Debug, Default)]
pub(super) struct Replication {
    pub(super) schedule: Schedule,
    /// Lists reused by every update.
    pub(super) scratch: Scratch,
    pub(super) bandwidth: Box<BandwidthLimiter>,
}
