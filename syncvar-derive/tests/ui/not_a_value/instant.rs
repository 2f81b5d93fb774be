use std::time::Instant;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    joined: SyncVar<Instant>,
}

fn main() {}
