use syncvar::prelude::*;

#[derive(SyncValue, Clone, PartialEq, Eq)]
struct Key(u32);

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncHashSet<Key>,
}

fn main() {}
