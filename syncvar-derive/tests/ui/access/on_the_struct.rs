use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(read = owner)]
struct Player {
    #[sync_var]
    place: SyncVar<f32>,
}

fn main() {}
