use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    scores: Vec<SyncVar<i32>>,
}

fn main() {}
