use std::collections::HashMap;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    ammunition: HashMap<String, u32>,
}

fn main() {}
