use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
