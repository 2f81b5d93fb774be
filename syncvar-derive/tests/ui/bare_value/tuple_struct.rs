use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Health(#[sync_var] i32);

fn main() {}
