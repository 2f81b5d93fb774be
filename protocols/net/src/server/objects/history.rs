//! Histories of the fields of objects, for rewinding.

use std::time::Duration;

use syncvar_runtime::NetId;
use syncvar_runtime::motion::ticks_of;

use crate::server::ServerConfig;
use crate::server::context::Context;
use crate::server::objects::Objects;

impl Objects {
    /// Begins the histories of a new object.
    pub(crate) fn begin_history(&mut self, context: &Context, id: NetId, tick: u32) {
        let (rate, default) = (context.config.tick_rate, context.config.default_interval());
        let Some(slots) = self.world.slots_mut(id) else {
            return;
        };
        let mut longest = self.longest_interval;
        slots.for_each_mut(|slot| {
            if slot.info().history != 0 {
                slot.begin_history(tick, rate);
                longest = longest.max(slot.info().interval(default));
            }
        });
        self.longest_interval = longest;
    }

    /// Returns the ticks of the oldest view that any connection can have: see
    /// [`max_rewind`](crate::ServerConfig::max_rewind).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    pub(crate) fn history_reach(&self, config: &ServerConfig) -> u32 {
        let ticks_in = |time: Duration| time.as_secs_f64() * f64::from(config.tick_rate);
        let view = f64::from(ticks_of(self.longest_interval, config.tick_rate));
        let late = ticks_in(config.max_rewind * 2);
        (ticks_in(config.max_rewind * 5 / 2) + late + view * 2.0 + 2.0) as u32
    }
}
