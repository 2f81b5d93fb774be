use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle, synchronize)]
enum Chest {
    Open,
    Shut,
}

fn main() {}
