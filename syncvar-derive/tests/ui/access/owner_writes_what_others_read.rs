use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(write = owner, read = others)]
    outfit: SyncVar<u32>,
}

fn main() {}
