use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[repr(u64)]
enum Mask {
    None = 0,
    All = u64::MAX,
}

fn main() {}
