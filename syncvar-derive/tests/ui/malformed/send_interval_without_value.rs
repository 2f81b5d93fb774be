use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(send_interval)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
