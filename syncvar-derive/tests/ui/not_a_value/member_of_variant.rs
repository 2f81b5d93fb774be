use syncvar::prelude::*;

#[derive(Clone)]
struct Flame;

#[derive(SyncValue, Clone)]
enum Effect {
    Freeze,
    Burn { seconds: f32, flame: Flame },
}

fn main() {}
