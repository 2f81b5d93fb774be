//! A button of the server that all clients press: type Enter.

use std::io;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar_examples::{Example, Lines, Screen};

#[derive(Component, Replicate)]
struct Button {
    clicks: u32,
}

/// A client presses a button.
#[derive(EntityEvent, NetValue)]
struct Click {
    entity: Entity,
}

/// The server sends it to the remaining clients.
#[derive(EntityEvent, NetValue)]
struct Clicked {
    entity: Entity,
    clicks: u32,
}

fn shared(app: &mut App) {
    app.replicate::<Button>()
        .net_entity_event::<Click>()
        .net_entity_event::<Clicked>();
}

fn server(plugin: ServerPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_systems(Startup, |mut commands: Commands| {
        commands.spawn((Replicated, Button { clicks: 0 }));
    });
    app.add_observer(on_click);
    app
}

fn on_click(
    click: On<FromClient<Click>>,
    mut buttons: Query<&mut Button>,
    mut commands: Commands,
) -> Result {
    let mut button = buttons.get_mut(click.entity)?;
    button.clicks += 1;
    let clicked = Clicked {
        entity: click.entity,
        clicks: button.clicks,
    };
    commands.trigger(ToClients::all_but(click.client, clicked));
    Ok(())
}

fn client(plugin: ClientPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin);
    shared(&mut app);
    app.add_systems(Update, press.run_if(joined));
    app.add_observer(|clicked: On<Clicked>, mut screen: ResMut<Screen>| {
        screen.show(format!("another player has clicked: {}", clicked.clicks));
    });
    app.add_observer(
        |change: On<Received<Button>>,
         buttons: Query<&Button>,
         mut screen: ResMut<Screen>|
         -> Result {
            let before = change.previous.clicks.unwrap_or_default();
            let clicks = buttons.get(change.entity)?.clicks;
            screen.show(format!("{before} -> {clicks}"));
            Ok(())
        },
    );
    app
}

fn press(mut lines: ResMut<Lines>, button: Single<Entity, With<Button>>, mut commands: Commands) {
    while lines.take().is_some() {
        let entity = *button;
        commands.trigger(ToServer::new(Click { entity }));
    }
}

const EXAMPLE: Example = Example {
    server,
    client,
    script: &[(0, "click"), (1, "click")],
    is_host: false,
};

fn main() -> io::Result<()> {
    EXAMPLE.main()
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_players_see_the_clicks() {
        let screens = super::EXAMPLE.play();
        let told = |clicks: u32| format!("another player has clicked: {clicks}");
        let changes = ["0 -> 1", "1 -> 2"].map(str::to_owned);
        let [first, second] = changes.clone();
        assert_eq!(screens[0], [first.clone(), second.clone(), told(2)]);
        assert_eq!(screens[1], [first, told(1), second]);
    }
}
