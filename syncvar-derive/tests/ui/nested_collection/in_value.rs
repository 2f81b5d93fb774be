use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Inventory {
    items: SyncList<u32>,
}

fn main() {}
