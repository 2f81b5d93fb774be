use std::collections::BTreeMap;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    speeds: SyncVar<BTreeMap<f32, u32>>,
}

fn main() {}
