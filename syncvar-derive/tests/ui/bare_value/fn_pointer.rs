use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    on_death: fn(),
}

fn main() {}
