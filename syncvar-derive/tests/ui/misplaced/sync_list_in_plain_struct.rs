use syncvar::prelude::*;

struct Bag {
    #[sync_var]
    items: SyncList<u32>,
}

fn main() {}
