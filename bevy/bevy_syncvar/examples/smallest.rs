//! A server and a client in one process: the client's observer prints `0 -> 100`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

#[derive(Component, Replicate)]
struct Player {
    health: i32,
}

pub(crate) fn main() {
    let (listener, link) = MemoryLink::pair();
    let (mut server, mut client) = (App::new(), App::new());
    server
        .add_plugins(ServerPlugin::new(listener))
        .replicate::<Player>();
    client
        .add_plugins(ClientPlugin::new(link))
        .replicate::<Player>();
    client.add_observer(|change: On<Received<Player>>, players: Query<&Player>| {
        let health = players.get(change.entity).unwrap().health;
        println!("{} -> {health}", change.previous.health.unwrap());
    });
    let player = server
        .world_mut()
        .spawn((Replicated, Player { health: 0 }))
        .id();
    for frame in 0..20 {
        if frame == 10 {
            server.world_mut().get_mut::<Player>(player).unwrap().health = 100;
        }
        server.update();
        client.update();
    }
}
