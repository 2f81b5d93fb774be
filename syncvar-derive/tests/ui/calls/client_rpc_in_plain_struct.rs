use syncvar::prelude::*;

struct Player;

#[network_calls]
impl Player {
    #[client_rpc]
    fn fire(&mut self) {}
}

fn main() {}
