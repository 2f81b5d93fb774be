use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycles)]
struct Chest {
    #[sync_var]
    coins: SyncVar<u32>,
}

impl NetworkLifecycle for Chest {}

fn main() {}
