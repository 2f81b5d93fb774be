use syncvar::Half;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Half)]
    speed: f32,
}

fn main() {}
