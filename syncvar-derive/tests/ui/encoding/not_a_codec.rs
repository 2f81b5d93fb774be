use syncvar::prelude::*;

struct Small;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Small)]
    health: SyncVar<i32>,
}

fn main() {}
