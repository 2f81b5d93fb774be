use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[sync_var]
struct Player {
    health: i32,
}

fn main() {}
