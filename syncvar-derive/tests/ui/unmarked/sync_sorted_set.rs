use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    items: SyncSortedSet<u32>,
}

fn main() {}
