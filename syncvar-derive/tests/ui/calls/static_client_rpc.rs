use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    fn explode() {}
}

fn main() {}
