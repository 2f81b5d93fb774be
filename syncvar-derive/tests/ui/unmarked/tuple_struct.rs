use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Health(SyncVar<i32>);

fn main() {}
