use syncvar::prelude::*;

#[sync_var]
static ROUND: SyncVar<u32> = SyncVar::new(0);

fn main() {}
