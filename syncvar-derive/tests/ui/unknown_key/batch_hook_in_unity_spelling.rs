use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(callback = on_items)]
    items: SyncList<u32>,
}

fn main() {}
