use std::rc::Rc;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    scene: Rc<u32>,
}

fn main() {}
