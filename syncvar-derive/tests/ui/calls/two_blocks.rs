use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self) {}
}

#[network_calls]
impl Player {
    #[command]
    fn open(&mut self) {}
}

fn main() {}
