use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(write = "owner")]
    place: SyncVar<f32>,
}

fn main() {}
