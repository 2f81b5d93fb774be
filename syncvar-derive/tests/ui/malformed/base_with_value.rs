use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base = true)]
    creature: Creature,
}

fn main() {}
