use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(gather = false)]
    health: SyncVar<i32>,
}

fn main() {}
