use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(check = moves_legally)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
