use syncvar::prelude::*;

#[network_calls]
#[derive(NetworkBehaviour)]
struct Player;

fn main() {}
