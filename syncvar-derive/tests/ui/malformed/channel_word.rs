use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(channel = fast)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
