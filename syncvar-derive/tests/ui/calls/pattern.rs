use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self, (_x, _y): (f32, f32), _: u8) {}
}

fn main() {}
