use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(sync_method = "hybrid")]
struct Car {
    #[sync_var]
    x: SyncVar<f32>,
}

fn main() {}
