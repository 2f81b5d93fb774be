use syncvar::prelude::*;

struct Item;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Item>,
}

fn main() {}
