use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(gather = false)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
