use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    extern "C" fn fire(&mut self) {}
}

fn main() {}
