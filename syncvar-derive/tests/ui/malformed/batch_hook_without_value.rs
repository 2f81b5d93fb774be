use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(batch_hook)]
    items: SyncList<u32>,
}

fn main() {}
