use std::cell::Cell;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: Cell<i32>,
}

fn main() {}
