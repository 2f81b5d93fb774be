//! Events, statistics, time and settings of a server, for all of its rooms.

mod notes;
mod ticks;

use std::time::Duration;

use syncvar_runtime::NetworkTime;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::clock::Clock;

use crate::link::settings::LossSettings;
use crate::server::{ServerConfig, ServerEvent};
use crate::stats::Stats;
pub(super) use notes::Notes;
pub(super) use ticks::Ticks;

/// Silence of a followed server after which its ticks are estimated: it writes a record every 100 ms.
const SILENCE: Duration = Duration::from_millis(400);

/// Events, statistics, time and settings, lent to the rooms by the conductor.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) events: Events<ServerEvent>,
    pub(crate) stats: Box<Stats>,
    pub(crate) clock: Clock,
    /// Boxed with the statistics, so that a future with a server is small.
    pub(crate) config: Box<ServerConfig>,
    pub(crate) ticks: Ticks,
    /// Addresses of further servers of the same world.
    pub(crate) alternates: Vec<String>,
    pub(crate) notes: Notes,
}

impl Context {
    /// Returns the time and the tick of the server.
    pub(crate) fn network_time(&self) -> NetworkTime {
        NetworkTime::new(self.clock.now(), self.config.tick_rate)
    }

    /// Returns the tick of an update at the present time, as a tick of the network time.
    pub(crate) fn update_tick(&mut self) -> u64 {
        let tick = self.network_time().tick;
        match self.ticks.followed() {
            None => tick,
            Some(followed) => {
                // The followed server is silent: repairs and joins need ticks.
                let silence = SILENCE.as_millis() * u128::from(self.config.tick_rate) / 1000;
                let silence = u64::try_from(silence).unwrap_or_default().max(1);
                self.ticks.follow(tick.saturating_sub(silence));
                followed.max(tick.saturating_sub(silence))
            }
        }
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
