use std::rc::Rc;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Rc<u32>>,
}

fn main() {}
