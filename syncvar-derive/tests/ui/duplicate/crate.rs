use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[sync_value(crate = syncvar, crate = net)]
struct Buff {
    id: u32,
}

fn main() {}
