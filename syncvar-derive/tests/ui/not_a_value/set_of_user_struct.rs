use syncvar::prelude::*;

#[derive(PartialEq, Eq, Hash)]
struct Item;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncHashSet<Item>,
}

fn main() {}
