use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self) {}
    #[command]
    fn cmd_fire(&mut self) {}
}

fn main() {}
