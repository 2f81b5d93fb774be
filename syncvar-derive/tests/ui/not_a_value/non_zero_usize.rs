use std::num::NonZeroUsize;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    count: SyncVar<NonZeroUsize>,
}

fn main() {}
