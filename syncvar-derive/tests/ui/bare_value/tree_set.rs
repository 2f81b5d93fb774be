use std::collections::BTreeSet;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: BTreeSet<u32>,
}

fn main() {}
