use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Gait {
    #[sync_value(other)]
    Stand,
    #[sync_value(other)]
    Walk,
}

fn main() {}
