//! Input crates as the source of [`HeldInput`]: held keys become the input of the ticks to come.
//!
//! The crate reads devices in frames and knows no tick: its actions are copied to [`HeldInput`] in `PreUpdate`, behind the systems
//! of the crate. Rules read [`TickInput`] in `FixedUpdate`, on both ends, and never the actions themselves: a server reads no
//! devices, and a replay needs the input of its tick.
//!
//! A jump shorter than a frame without a tick would be missed: [`release_jumps`] ends it behind the next tick.

pub mod enhanced;
pub mod leafwing;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin};

/// Keys that a player holds down.
#[derive(SyncValue, Clone, Default)]
pub struct Keys {
    /// Direction of the run: -1 to 1.
    pub run: f32,
    /// Whether the walker jumps in the next tick.
    pub jump: bool,
}

/// A body of a player.
#[derive(Component, Replicate, Clone, Copy, Debug, Default, PartialEq)]
pub struct Walker {
    /// Position in metres.
    pub x: f32,
    /// Number of jumps.
    pub jumps: u32,
}

/// Adds the shared rules.
fn shared(app: &mut App) {
    app.insert_resource(Time::<Fixed>::from_hz(60.0))
        .add_plugins((TimePlugin, TickPlugin::<Keys>::default()))
        .predict::<Walker>()
        .add_systems(FixedUpdate, walk);
}

fn walk(mut walkers: Query<(&mut Walker, &TickInput<Keys>)>) {
    for (mut walker, keys) in &mut walkers {
        walker.x += 0.1 * keys.run.clamp(-1.0, 1.0);
        walker.jumps += u32::from(keys.jump);
    }
}

/// Makes a server with a walker for each player.
pub fn server(plugin: ServerPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_observer(|joined: On<ClientJoined>, mut commands: Commands| {
        commands.spawn((Owner(joined.entity), Walker::default()));
    });
    app
}

/// Makes a client with an input plugin of this module.
pub fn client(plugin: ClientPlugin, inputs: impl Plugin) -> App {
    let mut app = App::new();
    app.add_plugins((plugin, bevy::input::InputPlugin, inputs));
    shared(&mut app);
    app.add_systems(FixedLast, release_jumps.run_if(new_tick));
    app
}

/// Ends a jump behind the tick that has had it.
fn release_jumps(mut held: ResMut<HeldInput<Keys>>) {
    held.jump = false;
}
