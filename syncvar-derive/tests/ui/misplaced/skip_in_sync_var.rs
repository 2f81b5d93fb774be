use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(skip)]
    health: SyncVar<i32>,
}

fn main() {}
