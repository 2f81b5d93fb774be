use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<SyncVar<u32>>,
}

fn main() {}
