use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(crate = syncvar)]
    health: SyncVar<i32>,
}

fn main() {}
