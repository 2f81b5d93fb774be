use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(bse)]
    creature: Creature,
}

fn main() {}
