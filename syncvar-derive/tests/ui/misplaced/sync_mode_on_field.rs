use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(sync_mode = owner)]
    gold: SyncVar<u32>,
}

fn main() {}
