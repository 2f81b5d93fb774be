use syncvar::prelude::*;

struct Player;

impl Player {
    #[target_rpc]
    fn fire(&mut self) {}
}

fn main() {}
