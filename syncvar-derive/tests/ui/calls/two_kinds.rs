use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    #[client_rpc]
    fn fire(&mut self) {}
}

fn main() {}
