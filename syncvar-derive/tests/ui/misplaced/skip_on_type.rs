use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[sync_value(skip)]
struct Buff {
    id: u32,
}

fn main() {}
