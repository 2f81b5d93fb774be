use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Inventory {
    Bag(SyncDictionary<String, u32>),
}

fn main() {}
