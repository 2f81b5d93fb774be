use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(max_interval = 0.5)]
    place: SyncVar<f32>,
}

fn main() {}
