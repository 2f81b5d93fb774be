use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    creature: Creature,
}

fn main() {}
