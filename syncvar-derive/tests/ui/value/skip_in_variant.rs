use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Effect {
    Burn {
        seconds: f32,
        #[sync_value(skip)]
        flame: u32,
    },
}

fn main() {}
