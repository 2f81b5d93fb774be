use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: (SyncList<u32>, u32),
}

fn main() {}
