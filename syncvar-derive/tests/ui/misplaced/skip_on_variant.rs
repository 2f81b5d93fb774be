use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Effect {
    Burn(u32),
    #[sync_value(skip)]
    Freeze,
}

fn main() {}
