use syncvar::prelude::*;

type Health = i32;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: Health,
}

fn main() {}
