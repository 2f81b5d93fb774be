use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    fn explode(&mut self) {}
    #[sync_event]
    fn explode();
}

fn main() {}
