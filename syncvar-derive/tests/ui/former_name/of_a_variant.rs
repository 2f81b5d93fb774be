use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Gait {
    Stand,
    #[sync_value(was = "Stand")]
    Walk,
}

fn main() {}
