use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(skip = true)]
    icon: u32,
}

fn main() {}
