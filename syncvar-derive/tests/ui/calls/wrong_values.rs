use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command(rate = 0, requires_ownership = 1, channel = 300, name = CmdFire)]
    fn fire(&mut self) {}
    #[client_rpc(target = all)]
    fn explode(&mut self) {}
}

fn main() {}
