use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    scores: SyncVar<Vec<SyncVar<i32>>>,
}

fn main() {}
