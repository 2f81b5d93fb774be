use syncvar::prelude::*;

#[derive(SyncValue)]
struct Buff {
    id: u32,
}

fn main() {}
