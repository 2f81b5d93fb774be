//! Tic-tac-toe of a host and a guest: type the number of a cell, 1 to 9. Both ends build the board; `SceneId` matches its cells.

use std::io;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_state::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar_examples::{Example, Lines, Screen};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SyncValue)]
#[sync_value(crate = bevy_syncvar::syncvar)]
enum Symbol {
    #[default]
    Cross,
    Nought,
}

/// A taken cell.
#[derive(Component, Replicate, Clone, Copy)]
struct Taken {
    by: Symbol,
}

/// The game: the player with the turn, and the winner.
#[derive(Resource, Replicate, Default)]
struct Game {
    turn: Symbol,
    winner: Option<Symbol>,
}

/// A player takes a cell.
#[derive(EntityEvent, NetValue)]
struct Take {
    entity: Entity,
}

const LINES: [[u32; 3]; 8] = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
    [1, 4, 7],
    [2, 5, 8],
    [3, 6, 9],
    [1, 5, 9],
    [3, 5, 7],
];

fn shared(app: &mut App) {
    app.replicate::<Taken>()
        .replicate_resource::<Game>()
        .net_entity_event::<Take>();
    app.add_systems(Update, take.run_if(in_state(JoinState::Joined)));
    app.add_systems(Last, show);
}

fn server(plugin: ServerPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin).init_resource::<Game>();
    shared(&mut app);
    app.add_systems(Startup, |mut commands: Commands| {
        commands.spawn_batch((1..=9).map(|cell| (Replicated, SceneId(cell))));
    });
    app.add_observer(on_take);
    app
}

fn client(plugin: ClientPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_systems(Startup, |mut commands: Commands| {
        commands.spawn_batch((1..=9).map(SceneId));
    });
    app
}

/// The host has the crosses, and the first move.
fn on_take(
    take: On<FromClient<Take>>,
    host: Query<(), With<LocalClient>>,
    cells: Query<(&SceneId, Option<&Taken>)>,
    mut game: ResMut<Game>,
    mut commands: Commands,
) -> Result {
    let by = if host.contains(take.client) {
        Symbol::Cross
    } else {
        Symbol::Nought
    };
    let (id, taken) = cells.get(take.entity)?;
    if by != game.turn || taken.is_some() || game.winner.is_some() {
        return Ok(());
    }
    commands.entity(take.entity).insert(Taken { by });
    let is_own = |cell: u32| {
        let is_taken = |(id, taken): (&SceneId, Option<&Taken>)| {
            id.0 == cell && taken.is_some_and(|taken| taken.by == by)
        };
        cell == id.0 || cells.iter().any(is_taken)
    };
    if LINES
        .iter()
        .any(|line| line.iter().all(|cell| is_own(*cell)))
    {
        game.winner = Some(by);
    }
    game.turn = match by {
        Symbol::Cross => Symbol::Nought,
        Symbol::Nought => Symbol::Cross,
    };
    Ok(())
}

fn take(mut lines: ResMut<Lines>, cells: Query<(Entity, &SceneId)>, mut commands: Commands) {
    while let Some(line) = lines.take() {
        let cell = line.trim().parse();
        let chosen = cells.iter().find(|(_, id)| cell == Ok(id.0));
        if let Some((entity, _)) = chosen {
            commands.trigger(ToServer::new(Take { entity }));
        }
    }
}

/// Shows the board after each move.
fn show(
    cells: Query<(&SceneId, Option<&Taken>)>,
    new: Query<(), Added<Taken>>,
    game: Option<Res<Game>>,
    screen: Option<ResMut<Screen>>,
) {
    let (Some(game), Some(mut screen)) = (game, screen) else {
        return;
    };
    if new.is_empty() {
        return;
    }
    let mut board = ['.'; 9];
    for (id, taken) in &cells {
        board[id.0 as usize - 1] = match taken.map(|taken| taken.by) {
            Some(Symbol::Cross) => 'x',
            Some(Symbol::Nought) => 'o',
            None => '.',
        };
    }
    let rows: Vec<String> = board.chunks(3).map(|row| row.iter().collect()).collect();
    screen.show(rows.join("/"));
    if let Some(winner) = game.winner {
        screen.show(format!("{winner:?} has won"));
    }
}

const EXAMPLE: Example = Example {
    server,
    client,
    script: &[
        (0, "5"),
        (1, "5"), // taken
        (1, "1"),
        (1, "2"), // not the guest's turn
        (0, "3"),
        (1, "2"),
        (0, "7"),
        (1, "9"), // it is over
    ],
    is_host: true,
};

fn main() -> io::Result<()> {
    EXAMPLE.main()
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_players_see_the_game() {
        let moves = [
            ".../.x./...",
            "o../.x./...",
            "o.x/.x./...",
            "oox/.x./...",
            "oox/.x./x..",
            "Cross has won",
        ];
        let screens = super::EXAMPLE.play();
        assert_eq!(screens[0], moves);
        assert_eq!(screens[1], moves);
    }
}
