//! Deltas of dirty objects, and the bandwidth limits of connections.
//!
//! ```text
//! schedule ──> due objects, ascending ──> runs: one pool, one audience ──> buffers of the audience
//!                 restricted fields are due ──> alone, one part for each set of readers
//!                 a message is too long ──────> divided; a field without a form stops
//!                 an interval goes on ────────> schedule
//! log of the writes ──> backlogs of connections with a budget or with losses
//! ```
//!
//! Each object is written once for each framing of its audience, for any number of observers. A connection with a budget
//! takes no part in the delivery: its backlog copies the bytes of chosen objects from the buffers.

pub(crate) mod bandwidth;
#[cfg(feature = "parallel")]
pub(crate) mod parallel;
mod profile;
pub(crate) mod restricted;
pub(crate) mod stopped;
pub(crate) mod unsent;
pub(crate) mod update;

use crate::server::outbound::Outbound;
use crate::server::replication::bandwidth::BandwidthLimiter;
use crate::server::replication::stopped::StoppedFields;
use crate::server::replication::update::Scratch;

/// State of the update loop.
#[derive(Debug, Default)]
pub(crate) struct Replication {
    /// Lists reused by every update.
    pub(crate) scratch: Scratch,
    pub(crate) bandwidth: Box<BandwidthLimiter>,
    pub(crate) stopped: StoppedFields,
}

impl Replication {
    /// Finds the places of the records of the update.
    pub(crate) fn index_records(&self, outbound: &mut Outbound) {
        if self.bandwidth.is_active() {
            outbound.records.log.sort();
        }
        outbound.records.index();
    }
}
