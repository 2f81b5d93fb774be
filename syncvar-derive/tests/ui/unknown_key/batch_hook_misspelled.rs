use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(batchhook = on_items)]
    items: SyncList<u32>,
}

fn main() {}
