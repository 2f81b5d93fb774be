use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    position: (SyncVar<f32>, SyncVar<f32>),
}

fn main() {}
