use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    #[network_behaviour(send_interval = 0.5)]
    health: SyncVar<i32>,
}

fn main() {}
