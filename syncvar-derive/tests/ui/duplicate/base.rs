use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base, base)]
    creature: Creature,
}

fn main() {}
