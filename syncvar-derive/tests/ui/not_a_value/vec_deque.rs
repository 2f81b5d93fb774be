use std::collections::VecDeque;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    orders: SyncVar<VecDeque<u32>>,
}

fn main() {}
