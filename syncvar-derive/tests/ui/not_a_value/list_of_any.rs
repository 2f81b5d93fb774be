use std::any::Any;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Box<dyn Any>>,
}

fn main() {}
