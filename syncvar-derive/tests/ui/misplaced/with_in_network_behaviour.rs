use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(with = Half)]
    speed: f32,
}

fn main() {}
