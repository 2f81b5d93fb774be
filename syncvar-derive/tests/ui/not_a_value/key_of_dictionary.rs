use syncvar::prelude::*;

#[derive(PartialEq, Eq, Hash)]
struct Key;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncDictionary<Key, u32>,
}

fn main() {}
