use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<SyncVar<i32>>,
}

fn main() {}
