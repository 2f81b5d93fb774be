use syncvar::codec::Quantized;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Quantized<500, -500, 100>)]
    x: SyncVar<f32>,
}

fn main() {}
