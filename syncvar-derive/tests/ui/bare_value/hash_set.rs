use std::collections::HashSet;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: HashSet<u32>,
}

fn main() {}
