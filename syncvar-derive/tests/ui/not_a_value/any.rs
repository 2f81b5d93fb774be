use std::any::Any;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    extra: SyncVar<Box<dyn Any>>,
}

fn main() {}
