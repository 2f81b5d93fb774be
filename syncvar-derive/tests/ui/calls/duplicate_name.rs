use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self) {}
    #[client_rpc]
    fn fire(&mut self) {}
}

fn main() {}
