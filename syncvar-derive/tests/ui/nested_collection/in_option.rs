use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: Option<SyncList<u32>>,
}

fn main() {}
