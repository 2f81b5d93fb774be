use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::codec::Half, with = syncvar::codec::Fixed)]
    speed: SyncVar<f32>,
}

fn main() {}
