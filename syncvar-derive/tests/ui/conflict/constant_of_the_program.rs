use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    max_health: SyncVar<i32>,
}

impl Player {
    const MAX_HEALTH: i32 = 100;
}

fn main() {}
