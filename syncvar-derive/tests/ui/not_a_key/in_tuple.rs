use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncDictionary<(u32, f32), u32>,
}

fn main() {}
