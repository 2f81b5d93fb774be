use syncvar::Half;
use syncvar::prelude::*;

type Speed = SyncVar<f32>;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Half)]
    speed: Speed,
}

fn main() {}
