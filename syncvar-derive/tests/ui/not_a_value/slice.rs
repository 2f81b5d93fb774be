use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    scores: SyncVar<&'static [u32]>,
}

fn main() {}
