use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    #[sync_var]
    creature: Creature,
}

fn main() {}
