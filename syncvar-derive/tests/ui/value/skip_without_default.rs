use syncvar::prelude::*;

#[derive(Clone)]
struct Icon(u32);

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    #[sync_value(skip)]
    icon: Icon,
}

fn main() {}
