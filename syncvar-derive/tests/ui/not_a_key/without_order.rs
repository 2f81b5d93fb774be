use syncvar::prelude::*;

#[derive(SyncValue, Clone, PartialEq, Eq, Hash)]
struct Key(u32);

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncSortedSet<Key>,
}

fn main() {}
