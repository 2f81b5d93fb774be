use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Item;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Item>,
}

fn main() {}
