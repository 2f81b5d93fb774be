use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(initial_hook)]
    health: SyncVar<i32>,
}

fn main() {}
