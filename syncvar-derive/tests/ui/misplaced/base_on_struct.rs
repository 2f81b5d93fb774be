use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
#[network_behaviour(base = Creature)]
struct Player {
    creature: Creature,
}

fn main() {}
