use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(crate = syncvar)]
    id: u32,
}

fn main() {}
