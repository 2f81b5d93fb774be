use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(priority = 3)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
