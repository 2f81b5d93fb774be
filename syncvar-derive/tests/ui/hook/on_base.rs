use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base, hook = on_creature)]
    creature: Creature,
}

fn main() {}
