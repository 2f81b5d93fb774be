use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(channel = unreliable, gather = no)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
