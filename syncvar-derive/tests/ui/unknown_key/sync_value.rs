use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(packed)]
    id: u32,
}

fn main() {}
