use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Key(u32);

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncDictionary<Key, u32>,
}

fn main() {}
