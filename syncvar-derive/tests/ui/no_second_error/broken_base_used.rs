use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Creature {
    #[sync_var]
    health: i32,
}

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[network_behaviour(base)]
    creature: Creature,
    #[sync_var]
    name: SyncVar<String>,
}

fn main() {}
