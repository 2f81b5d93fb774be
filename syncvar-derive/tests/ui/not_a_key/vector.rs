use syncvar::values::Vector3;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncHashSet<Vector3>,
}

fn main() {}
