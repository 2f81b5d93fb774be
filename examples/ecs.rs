//! A game that owns its data: tables of components instead of the server's objects, as in an ECS.
//!
//! ```text
//! cargo run --example ecs
//! ```

#[path = "ecs/components.rs"]
mod components;
#[path = "ecs/glue.rs"]
mod glue;
#[path = "ecs/world.rs"]
mod world;

use syncvar::prelude::*;
use syncvar::testing::{Conditions, MemoryNetwork};
use syncvar::{Callbacks, ClientConfig, ServerConfig};

use components::{Burning, Player, prefabs};
use world::World;

fn main() {
    let config = ServerConfig {
        callbacks: Callbacks::Events,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    let config = ClientConfig {
        callbacks: Callbacks::Events,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    let (mut game, mut view) = (World::default(), World::default());

    // Two players of one tick that refer to each other.
    let ada = game.spawn(&mut net.server, Player::new("Ada"));
    let bob = game.spawn(&mut net.server, Player::new("Bob"));
    let targets = [game.ids[&bob], game.ids[&ada]].map(NetRef::reserved);
    for (entity, target) in [ada, bob].into_iter().zip(targets) {
        game.players.get_mut(&entity).unwrap().target.set(target);
    }
    for tick in 0..5 {
        game.receive_commands(&mut net.server);
        // The systems of the game know nothing of the network.
        for player in game.players.values_mut() {
            player.health -= tick;
        }
        let burning = (tick % 2 == 1).then(|| Burning { until: 10.into() });
        game.burning.get_mut(&ada).unwrap().set(burning);

        game.send(&mut net.server);
        net.settle();
        view.receive(net.client_mut(0));
        for (entity, player) in &view.players {
            let target = view.entities.get(&player.target.id());
            let burning = view.burning[entity].is_some();
            println!(
                "{tick}: {} {} burning: {burning}, target: {target:?}",
                player.name, player.health
            );
        }
        net.client_mut(0)
            .calls::<Player>(targets[0].id())
            .pick_up(7)
            .expect("Bob is visible");
        net.settle();
    }
    game.despawn(ada);
    game.send(&mut net.server);
    net.settle();
    view.receive(net.client_mut(0));
    let [left, shown] = [&game, &view].map(|world| {
        let players = world.players.values();
        players
            .map(|it| (it.name.to_string(), *it.health, it.target.id()))
            .collect::<Vec<_>>()
    });
    println!("{shown:?}");
    assert_eq!(left, shown, "the view has the entities of the game");
}
