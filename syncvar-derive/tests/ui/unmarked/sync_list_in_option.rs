use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    items: Option<SyncList<u32>>,
}

fn main() {}
