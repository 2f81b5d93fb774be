use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(crate = "syncvar")]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
