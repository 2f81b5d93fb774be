use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Chest {
    #[sync_var(lifecycle)]
    coins: SyncVar<u32>,
    #[network_behaviour(synchronize)]
    colour: u32,
}

fn main() {}
