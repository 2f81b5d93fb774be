use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    #[network_behaviour(batch_hook = on_items)]
    items: SyncList<u32>,
}

fn main() {}
