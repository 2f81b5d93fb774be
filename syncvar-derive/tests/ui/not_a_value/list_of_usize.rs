use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<usize>,
}

fn main() {}
