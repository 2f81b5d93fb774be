use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(sync_mode = owner)]
struct Bag {
    #[sync_var]
    gold: SyncVar<u32>,
    #[sync_var(read = everyone)]
    colour: SyncVar<u32>,
}

fn main() {}
