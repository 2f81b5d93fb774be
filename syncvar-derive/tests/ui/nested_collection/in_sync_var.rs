use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncVar<SyncList<u32>>,
}

fn main() {}
