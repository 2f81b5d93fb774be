use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = "Half")]
    speed: SyncVar<f32>,
}

fn main() {}
