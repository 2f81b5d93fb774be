use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag(#[sync_var] SyncVar<u32>, SyncList<u32>);

fn main() {}
