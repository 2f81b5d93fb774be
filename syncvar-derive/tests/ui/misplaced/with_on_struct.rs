use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(with = Half)]
struct Player {
    #[sync_var]
    speed: SyncVar<f32>,
}

fn main() {}
