use syncvar::prelude::*;

struct Item;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncDictionary<u32, Item>,
}

fn main() {}
