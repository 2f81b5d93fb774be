use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(was = hp)]
    id: u32,
    #[sync_value(was())]
    level: u32,
    #[sync_value(was("a", b))]
    time: f32,
    #[sync_value(was)]
    name: String,
}

fn main() {}
