use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    slots: [SyncVar<u8>; 4],
}

fn main() {}
