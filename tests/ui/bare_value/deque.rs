use std::collections::VecDeque;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: VecDeque<u32>,
}

fn main() {}
