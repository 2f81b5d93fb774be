use std::collections::HashMap;

use syncvar::prelude::*;

#[derive(SyncValue, Clone, PartialEq, Eq, Hash)]
struct Slot(u8);

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    ammunition: SyncVar<HashMap<Slot, u32>>,
}

fn main() {}
