//! Characters and crates of Avian in two dimensions: a level that both ends load, bodies that the server owns.
//!
//! | travelling data | steps on a client |
//! | --- | --- |
//! | `Position`, `LinearVelocity` of every body | |
//! | own character, crates | `FixedUpdate` of this client: [`Predicted`], dynamic bodies |
//! | characters of rivals | none: [`Interpolated`], kinematic bodies |
//!
//! A step of the physics depends on positions and velocities only: bodies do not rotate or sleep, and the solver does not begin
//! with the impulses of the step before. So both ends compute the same, although a client has met the contacts later. The
//! velocity is registered because the next step depends on it.

pub mod arena;
#[path = "ends.rs"]
mod ends;
mod shadows;

use std::time::Duration;

use avian2d as physics;
use avian2d::prelude::*;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

pub use ends::Character;
pub use shadows::{LinearVelocityShadow, PositionShadow};

/// Keys that a player holds down.
#[derive(SyncValue, Clone, Default)]
pub struct Steer {
    /// Direction of the run: -1 to 1.
    pub run: f32,
    /// Whether the character jumps when it stands.
    pub jump: bool,
}

/// A body without a player.
#[derive(Component, Replicate, Default)]
pub struct Crate;

/// Makes an app of an end: the physics, the level, the shared rules.
pub fn app(plugin: impl Plugin) -> App {
    let mut app = ends::app(plugin);
    app.insert_resource(Gravity([0.0, -10.0].into()))
        .replicate::<Crate>()
        .add_systems(Startup, build_level)
        .add_systems(FixedUpdate, steer);
    app.finish();
    app
}

fn build_level(mut commands: Commands) {
    for (x, y, width, height) in [
        (0.0, -1.0, 60.0, 2.0),
        (-30.0, 10.0, 2.0, 24.0),
        (30.0, 10.0, 2.0, 24.0),
    ] {
        commands.spawn((
            RigidBody::Static,
            Collider::rectangle(width, height),
            Position::from_xy(x, y),
        ));
    }
}

/// A box on the ground or in the air, of either end.
fn body(kind: RigidBody) -> impl Bundle {
    (
        kind,
        Collider::rectangle(1.0, 1.0),
        LockedAxes::ROTATION_LOCKED,
        Friction::new(0.3),
    )
}

/// The rules of a character, on both ends.
fn steer(mut characters: Query<(&Position, &mut LinearVelocity, &TickInput<Steer>)>) {
    for (position, mut velocity, input) in &mut characters {
        let wanted = 2.0 * input.run.clamp(-1.0, 1.0);
        velocity.x += (wanted - velocity.x).clamp(-0.3, 0.3);
        let stands = velocity.y.abs() < 0.5 && position.y < 4.0;
        if input.jump && stands {
            velocity.y = 3.5;
        }
    }
}

/// Makes a server with crates, which has a character for each player.
pub fn server(plugin: ServerPlugin, crates: u16) -> App {
    let mut app = app(plugin);
    let world = app.world_mut();
    for place in 0..crates {
        let at = Position::from_xy(2.0 * f32::from(place) - 6.0, 0.5);
        world.spawn((Replicated, Crate, at, body(RigidBody::Dynamic)));
    }
    app.add_observer(
        |joined: On<ClientJoined>, ids: Res<Connections>, mut commands: Commands| {
            let place = u8::try_from(ids.ids().len()).unwrap_or(u8::MAX);
            let at = Position::from_xy(-8.0 - 2.0 * f32::from(place), 0.5);
            let owner = Owner(joined.entity);
            commands.spawn((Replicated, owner, Character, at, body(RigidBody::Dynamic)));
        },
    );
    app
}

/// Makes a client. A push of a rival is wrong by the time in which the rival has been seen too late: its correction takes
/// longer than the usual one, so that no frame has a jump.
pub fn client(mut plugin: ClientPlugin) -> App {
    plugin.config.correction_time = Duration::from_millis(600);
    let mut app = app(plugin);
    ends::choose_kinds(&mut app);
    app.register_required_components::<Crate, Predicted>();
    app
}
