//! Events, statistics, time and settings of a server, for all of its rooms.

mod ticks;

use syncvar_runtime::clock::Clock;
use syncvar_runtime::events::Events;

use crate::server::{ServerConfig, ServerEvent};
use crate::stats::Stats;
pub(super) use ticks::Ticks;

/// Events, statistics, time and settings, lent to the rooms by the conductor.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) events: Events<ServerEvent>,
    pub(super) stats: Box<Stats>,
    pub(super) clock: Clock,
    /// Boxed with the statistics, so that a future with a server is small.
    pub(super) config: Box<ServerConfig>,
    pub(super) ticks: Ticks,
}
