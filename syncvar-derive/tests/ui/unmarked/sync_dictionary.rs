use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    items: SyncDictionary<u32, String>,
}

fn main() {}
