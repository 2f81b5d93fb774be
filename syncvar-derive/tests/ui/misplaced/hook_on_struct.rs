use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(hook = on_health)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
