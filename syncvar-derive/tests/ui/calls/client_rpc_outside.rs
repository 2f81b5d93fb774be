use syncvar::prelude::*;

struct Player;

impl Player {
    #[client_rpc]
    fn fire(&mut self) {}
}

fn main() {}
