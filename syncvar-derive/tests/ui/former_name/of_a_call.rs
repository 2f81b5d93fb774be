use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player;

#[network_calls]
impl Player {
    #[command(was = "shoot")]
    fn fire(&mut self) {}
    #[client_rpc(was = "shoot")]
    fn burst(&mut self) {}
}

fn main() {}
