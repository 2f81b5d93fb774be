use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    items: SyncHashSet<u32>,
}

fn main() {}
