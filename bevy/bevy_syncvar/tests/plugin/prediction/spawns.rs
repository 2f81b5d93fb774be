//! Entities that a step spawns on both ends.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

use crate::prediction::rig::{Body, Move, Rig, open, shared};

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
#[network_behaviour(channel = unreliable)]
struct Shell {
    #[sync_var(interpolate = linear)]
    x: f32,
}

/// Ticks until the next shot.
#[derive(Component, Clone, Debug, Default)]
struct Pause(u32);

/// Marker of a server that spawns no shells.
#[derive(Resource)]
struct Refuses;

/// The input of a shot.
const FIRE: f32 = 0.5;

fn fire(
    mut guns: Query<(Entity, &mut Pause, &TickInput<Move>), With<Body>>,
    refuses: Option<Res<Refuses>>,
    mut commands: Commands,
) {
    for (gun, mut pause, input) in &mut guns {
        pause.0 = pause.0.saturating_sub(1);
        if input.x == FIRE && pause.0 == 0 && refuses.is_none() {
            pause.0 = 60;
            commands.spawn((Shell { x: 0.0 }, StepSpawn::by(gun)));
        }
    }
}

fn fly(mut shells: Query<&mut Shell, Simulated>) {
    for mut shell in &mut shells {
        shell.x += 0.5;
    }
}

fn types(app: &mut App) {
    shared(app);
    app.register_required_components::<Body, Pause>();
    app.predict::<Shell>()
        .rollback_component::<Pause>()
        .add_systems(FixedUpdate, (fire, fly).chain());
}

fn shells(app: &mut App) -> Vec<(Entity, f32, bool)> {
    let world = app.world_mut();
    let mut shells = world.query::<(Entity, &Shell, Has<Net>)>();
    shells
        .iter(world)
        .map(|(entity, shell, has_object)| (entity, shell.x, has_object))
        .collect()
}

fn shoot(rig: &mut Rig) {
    rig.hold(0, FIRE);
    rig.frames(2);
    rig.hold(0, 0.0);
}

#[test]
fn a_shell_flies_at_once_and_becomes_that_of_the_server() {
    let mut rig = Rig::with(open(31), 2, ServerPlugin::new, types);
    shoot(&mut rig);
    let there = shells(&mut rig.clients[0]);
    assert_eq!(there.len(), 1);
    let (shell, _, has_object) = there[0];
    assert!(!has_object);
    assert_eq!(shells(&mut rig.server), []);
    rig.frames(60);
    let corrections = rig.corrections(0);
    let there = shells(&mut rig.clients[0]);
    assert_eq!(there.len(), 1);
    assert_eq!((there[0].0, there[0].2), (shell, true), "the entity stays");
    let here = shells(&mut rig.server);
    assert_eq!(here.len(), 1);
    assert!(there[0].1 > here[0].1, "the shell is ahead");
    // The spectator has it as well, behind the server.
    let seen = shells(&mut rig.clients[1]);
    assert_eq!(seen.len(), 1);
    assert!(seen[0].1 < here[0].1);
    rig.frames(60);
    assert_eq!(rig.corrections(0), corrections, "its flight is known");
    rig.server.world_mut().despawn(here[0].0);
    rig.frames(30);
    assert_eq!(shells(&mut rig.clients[0]), []);
}

#[test]
fn a_shell_that_the_server_refuses_disappears() {
    let mut rig = Rig::with(open(32), 1, ServerPlugin::new, types);
    rig.server.insert_resource(Refuses);
    shoot(&mut rig);
    assert_eq!(shells(&mut rig.clients[0]).len(), 1);
    rig.frames(150);
    assert_eq!(shells(&mut rig.clients[0]), []);
}

#[test]
fn a_rollback_behind_a_spawn_keeps_its_entity() {
    let mut rig = Rig::with(open(33), 1, ServerPlugin::new, types);
    rig.frames(30);
    let here = rig.here(0);
    let before = rig.corrections(0);
    shoot(&mut rig);
    // The correction arrives when the shell flies on the client alone.
    rig.server.world_mut().get_mut::<Body>(here).unwrap().x += 1.0;
    let first = shells(&mut rig.clients[0])[0].0;
    // A part of the game's own, below the shell.
    let world = rig.clients[0].world_mut();
    let trail = world.spawn(ChildOf(first)).id();
    for _ in 0..60 {
        rig.frames(1);
        let there = shells(&mut rig.clients[0]);
        assert_eq!(there.len(), 1);
        assert_eq!(there[0].0, first, "the entity stays");
    }
    assert!(rig.corrections(0) > before);
    let world = rig.clients[0].world();
    assert_eq!(
        world.get::<ChildOf>(trail).map(ChildOf::parent),
        Some(first)
    );
    assert_eq!(shells(&mut rig.server).len(), 1);
}
