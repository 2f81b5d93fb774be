use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with)]
    speed: SyncVar<f32>,
}

fn main() {}
