//! Events, statistics, time and settings of a server, for all of its rooms.

mod ticks;

use syncvar_runtime::NetworkTime;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::clock::Clock;

use crate::link::settings::LossSettings;
use crate::server::{ServerConfig, ServerEvent};
use crate::stats::Stats;
pub(super) use ticks::Ticks;

/// Events, statistics, time and settings, lent to the rooms by the conductor.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) events: Events<ServerEvent>,
    pub(crate) stats: Box<Stats>,
    pub(crate) clock: Clock,
    /// Boxed with the statistics, so that a future with a server is small.
    pub(crate) config: Box<ServerConfig>,
    pub(crate) ticks: Ticks,
}

impl Context {
    /// Returns the time and the tick of the server.
    pub(crate) fn network_time(&self) -> NetworkTime {
        NetworkTime::new(self.clock.now(), self.config.tick_rate)
    }

    /// Returns the settings of the loss repair, at the tick rate of the server.
    pub(crate) fn loss_settings(&self) -> LossSettings {
        self.config.loss.at_rate(self.config.tick_rate)
    }

    /// Returns the present tick as on the wire.
    pub(crate) fn wire_tick(&self) -> u32 {
        u32::try_from(self.network_time().tick).unwrap_or(u32::MAX)
    }
}
