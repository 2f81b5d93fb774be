//! Parts of both dimensions, within a module that has the crate of the physics as `physics`, the box of a `body`, and the input.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin};

use super::physics::collision::contact_types::ContactGraph;
use super::physics::dynamics::solver::constraint_graph::ConstraintGraph;
use super::physics::dynamics::solver::islands::{IslandPlugin, IslandSleepingPlugin};
use super::physics::interpolation::PhysicsInterpolationPlugin;
use super::physics::physics_transform::PhysicsTransformConfig;
use super::physics::prelude::{LinearVelocity, PhysicsPlugins, Position, RigidBody};
use super::{LinearVelocityShadow, PositionShadow, Steer, body};

/// A body with a player.
#[derive(Component, Replicate, Default)]
pub struct Character;

/// Makes an app with the physics.
pub(super) fn app(plugin: impl Plugin) -> App {
    let physics = PhysicsPlugins::default().build();
    let physics = physics
        .disable::<PhysicsInterpolationPlugin>()
        .disable::<IslandSleepingPlugin>()
        .disable::<IslandPlugin>();
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, physics, plugin))
        .insert_resource(Time::<Fixed>::from_hz(60.0))
        .insert_resource(PhysicsTransformConfig {
            transform_to_position: false,
            propagate_before_physics: false,
            ..PhysicsTransformConfig::default()
        })
        .add_plugins(TickPlugin::<Steer>::default())
        .replicate::<Character>()
        .predict_via::<Position, PositionShadow>()
        .predict_via::<LinearVelocity, LinearVelocityShadow>()
        .rollback_resource::<ContactGraph>()
        .rollback_resource::<ConstraintGraph>();
    app
}

/// Gives the bodies of a client their kind: its own character is dynamic, the rivals are kinematic.
pub(super) fn choose_kinds(app: &mut App) {
    app.add_observer(|added: On<Add<Character>>, mut commands: Commands| {
        commands
            .entity(added.entity)
            .insert(body(RigidBody::Kinematic));
    });
    app.add_observer(|added: On<Add<Predicted>>, mut commands: Commands| {
        commands
            .entity(added.entity)
            .insert(body(RigidBody::Dynamic));
    });
}
