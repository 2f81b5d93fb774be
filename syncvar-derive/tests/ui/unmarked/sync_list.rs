use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    items: SyncList<u32>,
}

fn main() {}
