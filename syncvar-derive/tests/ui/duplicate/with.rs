use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::Half, with = syncvar::Fixed)]
    speed: SyncVar<f32>,
}

fn main() {}
