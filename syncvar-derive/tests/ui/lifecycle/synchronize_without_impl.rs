use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(synchronize)]
struct Chest {
    colour: u32,
}

fn main() {}
