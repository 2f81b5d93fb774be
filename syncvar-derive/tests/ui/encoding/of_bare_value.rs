use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::Half)]
    speed: f32,
}

fn main() {}
