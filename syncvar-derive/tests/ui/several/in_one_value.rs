use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
#[sync_value(skip)]
enum Effect<'a> {
    Burn(#[sync_value(skip)] f32),
    Push(SyncVar<f32>),
    Named(#[sync_value(name = "n")] &'a str),
}

fn main() {}
