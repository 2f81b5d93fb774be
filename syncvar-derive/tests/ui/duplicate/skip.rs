use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(skip, skip)]
    icon: u32,
}

fn main() {}
