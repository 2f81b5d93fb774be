use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(sync_direction = server_to_client)]
struct Rider {
    #[sync_var]
    speed: SyncVar<f32>,
    #[sync_var(write = owner)]
    lean: SyncVar<f32>,
}

fn main() {}
