use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(interpolate = lerp)]
    x: SyncVar<f32>,
    #[sync_var(interpolate = linear, snap = 0)]
    y: SyncVar<f32>,
}

fn main() {}
