use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(min_interval = -1.0)]
    place: SyncVar<f32>,
}

fn main() {}
