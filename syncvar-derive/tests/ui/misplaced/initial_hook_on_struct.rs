use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(initial_hook)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
