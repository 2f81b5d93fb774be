use syncvar::prelude::*;

type Speed = SyncVar<f32>;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::codec::Half)]
    speed: Speed,
}

fn main() {}
