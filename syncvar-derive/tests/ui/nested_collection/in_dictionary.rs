use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncDictionary<u32, SyncHashSet<String>>,
}

fn main() {}
