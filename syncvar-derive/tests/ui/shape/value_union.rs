use syncvar::prelude::*;

#[derive(SyncValue, Clone, Copy)]
union Number {
    int: i32,
    float: f32,
}

fn main() {}
