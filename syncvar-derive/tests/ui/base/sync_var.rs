use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    health: SyncVar<i32>,
}

fn main() {}
