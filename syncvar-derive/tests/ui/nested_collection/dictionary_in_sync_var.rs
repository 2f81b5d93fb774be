use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncVar<SyncDictionary<String, u32>>,
}

fn main() {}
