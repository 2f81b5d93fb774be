use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[sync_value(was = "Effect")]
struct Buff {
    id: u32,
}

fn main() {}
