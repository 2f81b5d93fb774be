use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self) -> bool {
        true
    }
}

fn main() {}
