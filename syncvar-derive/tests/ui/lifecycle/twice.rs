use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle, synchronize, lifecycle)]
struct Chest {
    #[sync_var]
    coins: SyncVar<u32>,
}

fn main() {}
