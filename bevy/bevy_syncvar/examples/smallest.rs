//! A server and a client in one process: the client's observer prints `0 -> 100`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

#[derive(Component, Replicate)]
struct Player {
    health: i32,
}

fn app(side: impl Plugin) -> App {
    let mut app = App::new();
    app.add_plugins(side).replicate::<Player>();
    app
}

pub(crate) fn main() {
    let (listener, link) = MemoryLink::pair();
    let mut server = app(ServerPlugin::new(listener));
    let mut client = app(ClientPlugin::new(link));
    client.add_observer(|change: On<Received<Player>>, players: Query<&Player>| {
        let health = players.get(change.entity).unwrap().health;
        println!("{} -> {health}", change.previous.health.unwrap());
    });
    let player = server.world_mut().spawn((Replicated, Player { health: 0 }));
    let player = player.id();
    for frame in 0..20 {
        let mut player = server.world_mut().get_mut::<Player>(player).unwrap();
        player.health = if frame < 10 { 0 } else { 100 };
        server.update();
        client.update();
    }
}
