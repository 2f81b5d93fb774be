//! The clock of an end, and the tick in progress.

use std::time::Duration;

use bevy_ecs::prelude::*;
use bevy_platform::time::Instant;
use bevy_time::{Real, Time};

/// Time of the ends of this app: [`Time<Real>`] where it exists, else the time since the start.
#[derive(Resource, Debug)]
pub(crate) struct NetClock {
    started: Instant,
}

impl Default for NetClock {
    fn default() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl NetClock {
    /// Returns the time of an app.
    pub(crate) fn now(world: &World) -> Duration {
        match (
            world.get_resource::<Time<Real>>(),
            world.get_resource::<Self>(),
        ) {
            (Some(time), _) => time.elapsed(),
            (None, Some(clock)) => clock.started.elapsed(),
            (None, None) => Duration::ZERO,
        }
    }
}

/// The tick that `FixedUpdate` runs: the same number on both ends.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// Number of the tick, of the server's time.
    pub number: u64,
    /// Whether this client has run the tick before: the server has corrected a state.
    pub is_replay: bool,
}
