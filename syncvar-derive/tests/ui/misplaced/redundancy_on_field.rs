use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(redundancy = 1)]
    health: SyncVar<i32>,
}

fn main() {}
