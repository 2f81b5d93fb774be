use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    base: i32,
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
