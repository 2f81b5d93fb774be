use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command(require_ownership = false)]
    fn fire(&mut self) {}
}

fn main() {}
