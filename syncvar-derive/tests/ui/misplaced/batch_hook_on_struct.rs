use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(batch_hook = on_items)]
struct Bag {
    #[sync_var]
    items: SyncList<u32>,
}

fn main() {}
