use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(threshold = many)]
    items: SyncList<u32>,
}

fn main() {}
