use syncvar::prelude::*;

#[derive(SyncValue, Interpolate, Clone)]
enum Stance {
    Up,
    Down,
}

fn main() {}
