use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    kills: SyncVar<usize>,
}

fn main() {}
