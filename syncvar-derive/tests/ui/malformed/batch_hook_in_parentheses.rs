use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(batch_hook(on_items))]
    items: SyncList<u32>,
}

fn main() {}
