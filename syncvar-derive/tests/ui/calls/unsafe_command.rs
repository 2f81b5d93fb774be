use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    unsafe fn fire(&mut self) {}
}

fn main() {}
