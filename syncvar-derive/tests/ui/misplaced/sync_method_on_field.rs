use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Car {
    #[sync_var(sync_method = hybrid)]
    x: SyncVar<f32>,
}

fn main() {}
