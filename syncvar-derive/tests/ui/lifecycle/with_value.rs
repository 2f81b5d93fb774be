use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle = true)]
struct Chest {
    #[sync_var]
    coins: SyncVar<u32>,
}

fn main() {}
