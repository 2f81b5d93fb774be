use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(write = owner, check = is_short)]
    path: SyncList<i32>,
}

fn main() {}
