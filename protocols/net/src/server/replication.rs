//! Deltas: the schedule of dirty objects, and the bandwidth limits of connections.

pub(super) mod bandwidth;
#[cfg(feature = "parallel")]
pub(super) mod parallel;
mod profile;
pub(super) mod restricted;
pub(super) mod stopped;
mod ticks;
mod unsent;
pub(super) mod update;

use syncvar_runtime::ConnectionId;
use syncvar_runtime::object::WriteLog;
use syncvar_runtime::packet::Segments;

use crate::link::sender::Verdict;
use crate::server::datagrams::frames::{Entry, Frames};
use crate::server::datagrams::lost_chunks::LostChunks;
use crate::server::replication::bandwidth::BandwidthLimiter;
use crate::server::replication::stopped::StoppedFields;
use crate::server::replication::update::Scratch;

/// State of the update loop.
#[derive(Debug, Default)]
pub(crate) struct Replication {
    /// Lists reused by every update.
    pub(super) scratch: Scratch,
    pub(super) bandwidth: Box<BandwidthLimiter>,
    pub(super) stopped: StoppedFields,
    /// Set while state on unreliable channels may be written.
    pub(super) frame_open: bool,
    /// Whether a prefab has a redundant behaviour.
    pub(super) has_echo: bool,
    /// Buffer of the echo in progress, reused.
    pub(super) echo: Option<Segments>,
    /// Write records of datagrams.
    pub(super) frames: Box<Frames>,
    /// Lost chunks that this update sends again.
    pub(super) lost_chunks: LostChunks,
    /// Buffers of the repair in progress, one for each channel, reused.
    pub(super) repairs: Vec<Segments>,
    /// Lists reused for each connection with datagrams: late arrivals, lost fields, their records, connections.
    pub(super) arrived: Vec<Verdict<Entry>>,
    pub(super) owed: Vec<Entry>,
    pub(super) losses: WriteLog,
    pub(super) links: Vec<ConnectionId>,
}

impl Replication {
    /// Finds the places of the records of the update.
    fn index_frame(&mut self) {
        if self.bandwidth.is_active() {
            self.bandwidth.log.sort();
        }
        self.frames.index(&self.bandwidth.log);
    }

    /// Ends the frame of the update: its records are of no use any more.
    fn end_frame(&mut self) {
        self.bandwidth.log.clear();
        self.frames.index(&self.bandwidth.log);
        self.frame_open = false;
    }
}
