use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var = "on_health"]
    health: SyncVar<i32>,
}

fn main() {}
