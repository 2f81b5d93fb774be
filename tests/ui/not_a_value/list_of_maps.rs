use std::collections::HashMap;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<HashMap<String, u32>>,
}

fn main() {}
