use std::collections::HashSet;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncVar<HashSet<u32>>,
}

fn main() {}
