use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    async fn explode(&mut self) {}
}

fn main() {}
