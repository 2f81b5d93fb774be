use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    fn explode<const N: usize>(&mut self, _at: [u8; N]) {}
}

fn main() {}
