use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(channel = unreliable, redundancy = 2)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
