use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[sync_value(rename = "B")]
struct Buff {
    id: u32,
}

fn main() {}
