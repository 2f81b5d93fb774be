use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(send_interval = -1)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
