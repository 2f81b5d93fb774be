use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command(unreliable, channel = 1)]
    fn aim(&mut self) {}

    #[client_rpc(unreliable = true)]
    fn explode(&mut self) {}

    #[command(after_state)]
    fn fire(&mut self) {}
}

fn main() {}
