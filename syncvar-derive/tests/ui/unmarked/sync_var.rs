use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    health: SyncVar<i32>,
}

fn main() {}
