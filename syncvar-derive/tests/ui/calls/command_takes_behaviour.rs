use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Door;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn open(&mut self, _door: Door) {}
}

fn main() {}
