use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(redundancy = 1)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour)]
#[network_behaviour(channel = reliable, redundancy = 1)]
struct Unit {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
