use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_value(skip)]
    last_input: u32,
}

fn main() {}
