use std::rc::Rc;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    name: SyncVar<Rc<str>>,
}

fn main() {}
