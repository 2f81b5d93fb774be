use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[sync_value(crate)]
struct Buff {
    id: u32,
}

fn main() {}
