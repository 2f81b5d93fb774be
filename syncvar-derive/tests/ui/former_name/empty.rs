use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(was = "")]
    id: u32,
}

fn main() {}
