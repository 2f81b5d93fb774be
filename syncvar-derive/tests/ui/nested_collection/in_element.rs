use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Option<SyncList<u32>>>,
}

fn main() {}
