use syncvar::prelude::*;

struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    creature: Creature,
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
