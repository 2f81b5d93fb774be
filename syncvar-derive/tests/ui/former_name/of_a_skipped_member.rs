use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    #[sync_value(skip, was = "picture")]
    icon: u32,
}

fn main() {}
