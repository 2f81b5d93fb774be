use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(send_interval = 0.1)]
#[network_behaviour(send_interval = 0.2)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
