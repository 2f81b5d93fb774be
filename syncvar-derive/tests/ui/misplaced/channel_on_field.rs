use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(channel = 1)]
    health: SyncVar<i32>,
}

fn main() {}
