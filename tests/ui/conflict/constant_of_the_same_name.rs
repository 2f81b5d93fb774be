use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

impl Player {
    const HEALTH_BIT: u64 = 1;
}

fn main() {}
