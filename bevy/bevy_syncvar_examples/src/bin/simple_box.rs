//! A box for each player, moved by its owner: type w, a, s or d, several at once if you like.

use std::io;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar_examples::{Example, Lines, Screen};

#[derive(Component, Replicate, Clone, Copy, PartialEq)]
#[component(summary_tick)]
struct Position {
    x: i32,
    y: i32,
}

#[derive(Component, Replicate)]
struct Name(String);

/// A player moves its box.
#[derive(EntityEvent, NetValue)]
struct Move {
    entity: Entity,
    x: i32,
    y: i32,
}

fn shared(app: &mut App) {
    app.replicate::<Position>()
        .replicate::<Name>()
        .net_entity_event::<Move>();
}

fn server(plugin: ServerPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_observer(on_joined)
        .add_observer(on_left)
        .add_observer(on_move);
    app
}

fn on_joined(
    joined: On<ClientJoined>,
    connections: Query<&Connection>,
    mut commands: Commands,
) -> Result {
    let number = connections.get(joined.entity)?.id().0;
    let name = Name(format!("box {number}"));
    let start = Position { x: 0, y: 0 };
    commands.spawn((Replicated, Owner(joined.entity), name, start));
    Ok(())
}

fn on_left(left: On<ClientLeft>, owns: Query<&Owns>, mut commands: Commands) {
    for own in owns.get(left.entity).into_iter().flat_map(Owns::iter) {
        commands.entity(own).despawn();
    }
}

fn on_move(step: On<FromClient<Move>>, mut boxes: Query<(&mut Position, &Owner)>) -> Result {
    let (mut position, owner) = boxes.get_mut(step.entity)?;
    // A client moves its own box, one step at a time.
    if owner.0 == step.client {
        position.x += step.event.x.signum();
        position.y += step.event.y.signum();
    }
    Ok(())
}

fn client(plugin: ClientPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_systems(Update, steer.run_if(joined));
    app.add_observer(show);
    app
}

fn steer(mut lines: ResMut<Lines>, own: Single<Entity, With<Owned>>, mut commands: Commands) {
    let entity = *own;
    while let Some(line) = lines.take() {
        for key in line.chars() {
            let (x, y) = match key {
                'w' => (0, 1),
                'a' => (-1, 0),
                's' => (0, -1),
                'd' => (1, 0),
                _ => continue,
            };
            commands.trigger(ToServer::new(Move { entity, x, y }));
        }
    }
}

fn show(
    change: On<Received<Position>>,
    boxes: Query<(&Position, &Name, Has<Owned>)>,
    mut screen: ResMut<Screen>,
) -> Result {
    let (at, name, is_own) = boxes.get(change.entity)?;
    let own = if is_own { " (you)" } else { "" };
    screen.show(format!("{}{own} is at {}, {}", name.0, at.x, at.y));
    Ok(())
}

const EXAMPLE: Example = Example {
    server,
    client,
    script: &[(0, "wd"), (1, "s")],
    is_host: false,
};

fn main() -> io::Result<()> {
    EXAMPLE.main()
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_players_see_the_boxes() {
        let screens = super::EXAMPLE.play();
        assert_eq!(screens[0], ["box 1 (you) is at 1, 1", "box 2 is at 0, -1"]);
        assert_eq!(screens[1], ["box 1 is at 1, 1", "box 2 (you) is at 0, -1"]);
    }
}
