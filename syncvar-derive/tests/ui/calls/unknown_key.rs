use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command(authority = false)]
    fn fire(&mut self) {}
}

fn main() {}
