use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
enum Effect {
    Burn(SyncVar<u32>),
}

fn main() {}
