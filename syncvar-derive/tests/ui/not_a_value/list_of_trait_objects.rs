use syncvar::prelude::*;

trait Item {}

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Box<dyn Item>>,
}

fn main() {}
