use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::codec::Half)]
    speed: f32,
}

fn main() {}
