use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    id: SyncVar<u32>,
}

fn main() {}
