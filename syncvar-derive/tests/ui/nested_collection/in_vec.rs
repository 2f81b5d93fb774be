use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: Vec<SyncList<u32>>,
}

fn main() {}
