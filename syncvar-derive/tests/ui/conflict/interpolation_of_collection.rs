use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(interpolate = linear)]
    path: SyncList<f32>,
}

fn main() {}
