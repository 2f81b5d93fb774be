use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    slots: [u8; 4],
}

fn main() {}
