use syncvar::prelude::*;

trait Effect: Send + Sync {}

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    effect: &'static dyn Effect,
}

fn main() {}
