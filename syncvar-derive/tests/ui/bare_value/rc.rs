use std::rc::Rc;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    name: Rc<str>,
}

fn main() {}
