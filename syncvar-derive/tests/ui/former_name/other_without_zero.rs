use syncvar::prelude::*;
use std::num::NonZeroU8;

#[derive(SyncValue, Clone)]
enum Effect {
    None,
    #[sync_value(other)]
    Burn(NonZeroU8),
}

fn main() {
    let _ = <Effect as syncvar::SyncValue>::SCHEMA;
}
