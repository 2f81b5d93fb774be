use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc(rate = 5)]
    fn explode(&mut self) {}
}

fn main() {}
