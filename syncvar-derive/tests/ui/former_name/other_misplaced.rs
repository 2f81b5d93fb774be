use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(other)]
    id: u32,
}

#[derive(SyncValue, Clone)]
#[sync_value(other)]
enum Gait {
    Stand,
}

fn main() {}
