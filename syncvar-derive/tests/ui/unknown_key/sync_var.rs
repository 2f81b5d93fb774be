use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(reliable)]
    health: SyncVar<i32>,
}

fn main() {}
