use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    health: syncvar::SyncVar<i32>,
}

fn main() {}
