use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(snap = 5.0)]
    x: SyncVar<f32>,
    #[sync_var(interpolate = nearest, extrapolate = 0.1)]
    y: SyncVar<f32>,
}

fn main() {}
