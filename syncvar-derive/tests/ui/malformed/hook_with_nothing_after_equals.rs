use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook =)]
    health: SyncVar<i32>,
}

fn main() {}
