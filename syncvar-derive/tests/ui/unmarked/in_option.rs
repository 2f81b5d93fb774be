use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    health: Option<SyncVar<i32>>,
}

fn main() {}
