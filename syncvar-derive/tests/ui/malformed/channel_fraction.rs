use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(channel = 1.5)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
