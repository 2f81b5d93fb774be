use syncvar::{Fixed, Half, prelude::*};

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Half, with = Fixed)]
    speed: SyncVar<f32>,
}

fn main() {}
