use syncvar::prelude::*;

trait Armed {
    fn fire(&mut self);
}

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Armed for Player {
    #[command]
    fn fire(&mut self) {}
}

fn main() {}
