use syncvar::prelude::*;

#[derive(Clone)]
struct Icon;

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    icon: Icon,
}

fn main() {}
