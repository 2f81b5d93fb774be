use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_var]
    id: u32,
}

fn main() {}
