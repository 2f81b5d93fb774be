use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(skp)]
    id: u32,
}

fn main() {}
