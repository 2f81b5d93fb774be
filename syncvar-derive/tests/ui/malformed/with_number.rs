use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = 16)]
    speed: SyncVar<f32>,
}

fn main() {}
