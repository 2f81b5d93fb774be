//! A shooter, predicted: type w, a, s or d to run, f to fire, an empty line to stand. The server judges a shot by what its player
//! has seen.

use std::io;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::{RewindWorld, StepSpawn};
use bevy_syncvar_examples::{Example, Lines, Screen};
use bevy_time::TimePlugin;

const STEP: f32 = 0.1;
const RANGE: f32 = 20.0;
/// Ticks between two shots, and of the flight of a shell.
const PAUSE: u32 = 30;

#[derive(SyncValue, Clone, Default)]
struct Controls {
    x: f32,
    y: f32,
    fires: bool,
}

#[derive(Component, Replicate, Clone, Copy, Default)]
#[network_behaviour(channel = unreliable)]
struct Position {
    #[sync_var(interpolate = linear, snap = 5.0, history = 0.5)]
    x: f32,
    #[sync_var(interpolate = linear, snap = 5.0, history = 0.5)]
    y: f32,
}

#[derive(Component, Replicate, Clone, Copy)]
struct Facing {
    x: f32,
    y: f32,
}

#[derive(Component, Replicate)]
struct Name(String);

#[derive(Component, Replicate)]
struct Health(i32);

#[derive(Component, Replicate, Default)]
struct Score(u32);

#[derive(Component, Replicate, Clone, Default)]
struct Gun {
    pause: u32,
}

#[derive(Component, Replicate, Clone, Default)]
struct Shell {
    age: u32,
}

fn shared(app: &mut App) {
    app.add_plugins((TimePlugin, TickPlugin::<Controls>::default()))
        .predict::<Position>()
        .predict::<Facing>()
        .predict::<Gun>()
        .predict::<Shell>()
        .predict_spawns()
        .replicate::<Name>()
        .replicate::<Health>()
        .replicate::<Score>()
        .add_systems(FixedUpdate, (run, fire, fly).chain());
}

fn run(mut players: Query<(&mut Position, &mut Facing, &TickInput<Controls>), Without<Shell>>) {
    for (mut position, mut facing, controls) in &mut players {
        let (x, y) = (controls.x.clamp(-1.0, 1.0), controls.y.clamp(-1.0, 1.0));
        if x != 0.0 || y != 0.0 {
            *facing = Facing { x, y };
            position.x += STEP * x;
            position.y += STEP * y;
        }
    }
}

fn fire(
    mut guns: Query<(Entity, &Position, &Facing, &mut Gun, &TickInput<Controls>)>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    for (shooter, position, facing, mut gun, controls) in &mut guns {
        if gun.pause > 0 {
            gun.pause -= 1;
        } else if controls.fires {
            gun.pause = PAUSE;
            let shell = (Shell::default(), *position, *facing);
            commands.spawn((shell, StepSpawn::new(shooter, *tick)));
        }
    }
}

fn fly(mut shells: Query<(&mut Shell, &mut Position, &Facing), Simulated>) {
    for (mut shell, mut position, facing) in &mut shells {
        shell.age += 1;
        position.x += 4.0 * STEP * facing.x;
        position.y += 4.0 * STEP * facing.y;
    }
}

fn server(plugin: ServerPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_systems(FixedUpdate, (judge, expire).after(fly))
        .add_observer(on_joined);
    app
}

fn on_joined(
    joined: On<ClientJoined>,
    connections: Query<&Connection>,
    mut commands: Commands,
) -> Result {
    let number = connections.get(joined.entity)?.id().0;
    let name = Name(format!("player {number}"));
    let y = if number == 1 { 0.0 } else { 3.0 };
    let state = (Health(3), Score(0), Gun::default());
    let place = (Position { x: 0.0, y }, Facing { x: 1.0, y: 0.0 });
    commands.spawn((Replicated, Owner(joined.entity), name, state, place));
    Ok(())
}

/// Hits what the shooter has seen in the line of fire.
fn judge(world: &mut World) {
    let mut guns = world.query::<(Entity, &Owner, &Position, &Facing, &Gun)>();
    let shots = guns.iter(world).filter(|(.., gun)| gun.pause == PAUSE);
    let shots: Vec<_> = shots
        .map(|(shooter, owner, from, facing, _)| (shooter, owner.0, *from, *facing))
        .collect();
    for (shooter, client, from, facing) in shots {
        let hit = world.rewind(client, |world| {
            let mut targets = world.query_filtered::<(Entity, &Position), With<Health>>();
            let mut others = targets.iter(world).filter(|(other, _)| *other != shooter);
            let hit = others.find(|(_, at)| is_hit(from, facing, **at));
            hit.map(|(target, _)| target)
        });
        if let Some(mut health) = hit.flatten().and_then(|hit| world.get_mut::<Health>(hit)) {
            health.0 -= 1;
            if let Some(mut score) = world.get_mut::<Score>(shooter) {
                score.0 += 1;
            }
        }
    }
}

fn is_hit(from: Position, facing: Facing, at: Position) -> bool {
    let (x, y) = (at.x - from.x, at.y - from.y);
    let length = facing.x.hypot(facing.y);
    let ahead = (x * facing.x + y * facing.y) / length;
    let aside = (x * facing.y - y * facing.x) / length;
    (0.0..RANGE).contains(&ahead) && aside.abs() < 0.5
}

fn expire(shells: Query<(Entity, &Shell)>, mut commands: Commands) {
    for (shell, flight) in &shells {
        if flight.age > PAUSE {
            commands.entity(shell).despawn();
        }
    }
}

fn client(plugin: ClientPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.register_required_components::<Owned, Predicted>();
    app.register_required_components::<Remote, Interpolated>();
    app.add_systems(PreUpdate, read_keys)
        .add_systems(FixedUpdate, bang.after(fire).run_if(new_tick))
        .add_observer(show);
    app
}

fn read_keys(mut lines: ResMut<Lines>, mut held: ResMut<HeldInput<Controls>>) {
    while let Some(line) = lines.take() {
        let is_down = |key| f32::from(u8::from(line.contains(key)));
        held.x = is_down('d') - is_down('a');
        held.y = is_down('w') - is_down('s');
        held.fires = line.contains('f');
    }
}

/// Sounds at once, ahead of the server.
fn bang(shells: Query<&Shell, Added<StepSpawn>>, mut screen: ResMut<Screen>) {
    for _ in shells.iter().filter(|shell| shell.age == 0) {
        screen.show("bang");
    }
}

fn show(
    change: On<Received<Health>>,
    players: Query<(&Health, &Name)>,
    mut screen: ResMut<Screen>,
) -> Result {
    let (health, name) = players.get(change.entity)?;
    screen.show(format!("{} has {} left", name.0, health.0));
    Ok(())
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
        assert_eq!(screens[0], ["bang", "player 2 has 2 left"]);
    }
}
