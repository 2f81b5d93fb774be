use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(sync_mode = everyone, sync_direction = owner)]
struct Bag {
    #[sync_var]
    gold: SyncVar<u32>,
}

fn main() {}
