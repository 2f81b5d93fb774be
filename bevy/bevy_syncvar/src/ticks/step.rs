//! `Tick`: one run of the fixed schedules.

use std::time::Duration;

use bevy_app::FixedMain;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, Virtual};

use crate::time::Tick;

/// Run condition: the tick runs for the first time. A sound of a predicted shot belongs behind it.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use bevy_syncvar::prelude::*;
/// # let mut app = App::new();
/// # app.add_plugins((ServerPlugin::alone(), TickPlugin::<bool>::default()));
/// app.add_systems(FixedUpdate, (|| println!("bang")).run_if(new_tick));
/// ```
pub fn new_tick(tick: Res<Tick>) -> bool {
    !tick.is_replay
}

/// Ticks that have run.
#[derive(Resource, Debug, Default)]
pub(crate) struct TickState {
    /// Newest tick that has run on a client.
    pub(super) newest: Option<u64>,
    /// Whether the failure of an input has been reported.
    pub(super) is_reported: bool,
}

/// Returns whether an app has a [`TickPlugin`](crate::TickPlugin): the ticks update its client.
pub(crate) fn has_ticks(world: &World) -> bool {
    world.contains_resource::<TickState>()
}

/// Returns the ticks of a second, for an app with fixed ticks.
pub(crate) fn tick_rate(world: &World) -> Option<u32> {
    if !has_ticks(world) {
        return None;
    }
    let step = timestep(world).as_secs_f64();
    let rate = (1.0 / step).round().max(1.0);
    if (1.0 / rate - step).abs() > 1e-6 {
        tracing::warn!(
            timestep = step,
            rate,
            "a tick is a whole fraction of a second: `Time::<Fixed>::from_hz` with a whole number"
        );
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive number"
    )]
    Some(rate as u32)
}

fn timestep(world: &World) -> Duration {
    let fixed = world.get_resource::<Time<Fixed>>();
    fixed.map_or(Time::<Fixed>::default().timestep(), Time::timestep)
}

/// Runs the fixed schedules for a tick. `Time` is that of the tick, on both ends alike.
pub(super) fn run_fixed(world: &mut World, tick: Tick) {
    let step = timestep(world);
    let mut time = Time::<Fixed>::from_duration(step);
    let nanos = u64::try_from(step.as_nanos()).unwrap_or(u64::MAX);
    time.advance_to(Duration::from_nanos(
        nanos.saturating_mul(tick.number.saturating_sub(1)),
    ));
    time.advance_by(step);
    world.insert_resource(time.as_generic());
    world.insert_resource(time);
    world.insert_resource(tick);
    // An app without fixed systems has no such schedule.
    let _ = world.try_run_schedule(FixedMain);
}

/// Gives the frame its time back, behind the ticks.
pub(super) fn end_fixed(world: &mut World) {
    if let Some(frame) = world.get_resource::<Time<Virtual>>() {
        let frame = frame.as_generic();
        world.insert_resource(frame);
    }
}
