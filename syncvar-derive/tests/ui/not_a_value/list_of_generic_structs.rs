use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Pair<T>(T, T);

struct Item;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Pair<Item>>,
}

fn main() {}
