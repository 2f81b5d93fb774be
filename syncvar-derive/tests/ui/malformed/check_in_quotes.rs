use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(write = owner, check = "moves_legally")]
    x: SyncVar<f32>,
}

fn main() {}
