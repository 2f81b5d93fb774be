use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    scores: Vec<i32>,
}

fn main() {}
