//! Characters of Avian in three dimensions on an uneven ground: the same parts as in [two](crate::avian), without crates.

#[path = "ends.rs"]
mod ends;
mod shadows;

use avian3d as physics;
use avian3d::prelude::*;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

pub use ends::Character;
pub use shadows::{LinearVelocityShadow, PositionShadow};

/// Keys that a player holds down.
#[derive(SyncValue, Clone, Default)]
pub struct Steer {
    /// Directions of the run on the ground: -1 to 1.
    pub run: [f32; 2],
    /// Whether the character jumps when it stands.
    pub jump: bool,
}

/// Makes an app of an end.
fn app(plugin: impl Plugin) -> App {
    let mut app = ends::app(plugin);
    app.add_systems(Startup, build_level)
        .add_systems(FixedUpdate, steer);
    app.finish();
    app
}

/// A floor with steps.
fn build_level(mut commands: Commands) {
    for (x, height) in [(0.0, 0.0), (8.0, 0.2), (16.0, 0.4), (-8.0, 0.3)] {
        commands.spawn((
            RigidBody::Static,
            Collider::cuboid(8.0, 2.0, 40.0),
            Position::from_xyz(x, height - 1.0, 0.0),
        ));
    }
}

fn body(kind: RigidBody) -> impl Bundle {
    (
        kind,
        Collider::capsule(0.4, 1.0),
        LockedAxes::ROTATION_LOCKED,
        Friction::new(0.3),
    )
}

/// The rules of a character, on both ends.
fn steer(mut characters: Query<(&Position, &mut LinearVelocity, &TickInput<Steer>)>) {
    for (position, mut velocity, input) in &mut characters {
        let [x, z] = input.run.map(|axis| 2.0 * axis.clamp(-1.0, 1.0));
        velocity.x += (x - velocity.x).clamp(-0.3, 0.3);
        velocity.z += (z - velocity.z).clamp(-0.3, 0.3);
        let stands = velocity.y.abs() < 0.5 && position.y < 4.0;
        if input.jump && stands {
            velocity.y = 3.5;
        }
    }
}

/// Makes a server, which has a character for each player.
pub fn server(plugin: ServerPlugin) -> App {
    let mut app = app(plugin);
    app.add_observer(|joined: On<ClientJoined>, mut commands: Commands| {
        let at = Position::from_xyz(0.0, 1.0, 0.0);
        let owner = Owner(joined.entity);
        commands.spawn((owner, Character, at, body(RigidBody::Dynamic)));
    });
    app
}

/// Makes a client: its own character is dynamic, the rivals are kinematic.
pub fn client(plugin: ClientPlugin) -> App {
    let mut app = app(plugin);
    ends::choose_kinds(&mut app);
    app
}
