//! A shooter, predicted: type w, a, s or d to run, f to fire, an empty line to stand. The server judges a shot by the view of
//! its player.

use std::io;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar_examples::{Example, Lines, Screen};
use bevy_time::TimePlugin;

const STEP: f32 = 0.1;
const RANGE: f32 = 20.0;
/// Ticks between two shots, and of the flight of a shell.
const PAUSE: u32 = 30;

#[derive(SyncValue, Clone, Default)]
struct Controls {
    run: [f32; 2],
    fires: bool,
}

#[derive(Component, Replicate, Clone, Copy)]
#[network_behaviour(channel = unreliable)]
struct Body {
    #[sync_var(interpolate = linear, snap = 5.0, history = 0.5)]
    at: [f32; 2],
    facing: [f32; 2],
}

#[derive(Component, Replicate)]
struct Player {
    name: String,
    hp: i32,
    hits: u32,
}

/// Ticks until the next shot.
#[derive(Component, Replicate)]
struct Gun(u32);

/// Age in ticks, for the server. On clients only the own shells have it.
#[derive(Component)]
struct Shell(u32);

/// Makes an app of an end.
fn app(plugin: impl Plugin) -> App {
    let mut app = App::new();
    app.add_plugins((plugin, TimePlugin, TickPlugin::<Controls>::default()))
        .replicate::<Player>()
        .predict::<Body>()
        .predict::<Gun>()
        .add_systems(FixedUpdate, (run, fire, fly).chain());
    app
}

/// Moves a body ahead.
fn advance(body: &mut Body, step: f32) {
    body.at[0] += step * body.facing[0];
    body.at[1] += step * body.facing[1];
}

fn run(mut players: Query<(&mut Body, &TickInput<Controls>), With<Gun>>) {
    for (mut body, controls) in &mut players {
        if controls.run.iter().any(|axis| axis.abs() > 0.0) {
            body.facing = controls.run.map(|axis| axis.clamp(-1.0, 1.0));
            advance(&mut body, STEP);
        }
    }
}

fn fire(mut guns: Query<(Entity, &Body, &mut Gun, &TickInput<Controls>)>, mut commands: Commands) {
    for (shooter, body, mut gun, controls) in &mut guns {
        if gun.0 > 0 {
            gun.0 -= 1;
        } else if controls.fires {
            gun.0 = PAUSE;
            commands.spawn((Shell(0), *body, StepSpawn::by(shooter)));
        }
    }
}

fn fly(mut shells: Query<&mut Body, With<Shell>>) {
    for mut body in &mut shells {
        advance(&mut body, 4.0 * STEP);
    }
}

fn server(plugin: ServerPlugin) -> App {
    let mut app = app(plugin);
    app.add_systems(FixedUpdate, (hit, expire).after(fly))
        .add_observer(on_joined);
    app
}

fn on_joined(joined: On<ClientJoined>, players: Query<&Player>, mut commands: Commands) {
    let number = players.iter().count();
    let (name, hp, hits) = (format!("player {}", number + 1), 3, 0);
    let player = Player { name, hp, hits };
    let (at, facing) = ([0.0, [0.0, 3.0][number % 2]], [1.0, 0.0]);
    commands.spawn((Owner(joined.entity), player, Body { at, facing }, Gun(0)));
}

/// Hits the target that stood in the line of fire on the screen of the shooter.
fn hit(guns: Query<(Entity, &Body, &Gun)>, mut players: Query<(Entity, &mut Player)>, past: Past) {
    for (shooter, body, _) in guns.iter().filter(|(.., gun)| gun.0 == PAUSE) {
        let is_hit = |other| past.seen(shooter, other).is_some_and(|it| hits(body, &it));
        let mut others = players.iter().map(|(other, _)| other);
        let hit = others.find(|other| *other != shooter && is_hit(*other));
        let pair = hit.and_then(|hit| players.get_many_mut([shooter, hit]).ok());
        if let Some([(_, mut player), (_, mut target)]) = pair {
            target.hp -= 1;
            player.hits += 1;
        }
    }
}

fn hits(body: &Body, target: &Body) -> bool {
    let [x, y] = [0, 1].map(|axis| target.at[axis] - body.at[axis]);
    let [ahead, aside] = body.facing;
    let length = ahead.hypot(aside);
    let (distance, error) = (x * ahead + y * aside, x * aside - y * ahead);
    (0.0..RANGE * length).contains(&distance) && error.abs() < 0.5 * length
}

fn expire(mut shells: Query<(Entity, &mut Shell)>, mut commands: Commands) {
    for (entity, mut shell) in &mut shells {
        shell.0 += 1;
        if shell.0 > PAUSE {
            commands.entity(entity).despawn();
        }
    }
}

fn client(plugin: ClientPlugin) -> App {
    let mut app = app(plugin);
    app.add_systems(PreUpdate, read_keys)
        .add_systems(Update, (bang, draw, show).chain());
    app
}

fn read_keys(mut lines: ResMut<Lines>, mut held: ResMut<HeldInput<Controls>>) {
    while let Some(line) = lines.take() {
        let axis = |plus, minus| f32::from(line.contains(plus)) - f32::from(line.contains(minus));
        held.run = [axis('d', 'a'), axis('w', 's')];
        held.fires = line.contains('f');
    }
}

/// Sounds at once, ahead of the server.
fn bang(shells: Query<(), Added<Shell>>, mut screen: ResMut<Screen>) {
    for () in &shells {
        screen.show("bang");
    }
}

fn draw(bodies: Query<(&Body, Has<Player>, Has<Predicted>)>, mut screen: ResMut<Screen>) {
    let bodies = bodies.iter();
    let dots = bodies.map(|(body, player, own)| (body.at, player, own));
    screen.picture = dots.collect();
}

fn show(players: Query<Ref<Player>, Changed<Player>>, mut screen: ResMut<Screen>) {
    for player in players.iter().filter(|player| !player.is_added()) {
        let Player { name, hp, hits } = &*player;
        screen.show(format!("{name}: {hp} left, {hits} hits"));
    }
}

const EXAMPLE: Example = Example {
    server,
    client,
    script: &[
        (0, "w"),
        (0, "f"),
        (0, "w"),
        (0, "w"),
        (0, ""),
        (1, "s"),
        (1, "fs"),
        (1, ""),
    ],
    is_host: false,
};

fn main() -> io::Result<()> {
    EXAMPLE.main()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_shot_hits_what_its_player_has_seen() {
        let screens = super::EXAMPLE.play();
        let hit = [
            "bang",
            "player 1: 3 left, 1 hits",
            "player 2: 2 left, 0 hits",
        ];
        assert_eq!(screens[0], hit);
    }
}
