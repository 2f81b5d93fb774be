use syncvar::prelude::*;

struct Player;

#[network_calls]
impl Player {
    #[target_rpc]
    fn fire(&mut self) {}
}

fn main() {}
