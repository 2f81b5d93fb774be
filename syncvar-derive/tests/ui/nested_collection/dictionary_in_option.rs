use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: Option<SyncDictionary<String, u32>>,
}

fn main() {}
