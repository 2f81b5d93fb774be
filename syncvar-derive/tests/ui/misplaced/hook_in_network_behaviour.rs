use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    #[network_behaviour(hook = on_health)]
    health: SyncVar<i32>,
}

fn main() {}
