use syncvar::prelude::*;

trait Shape {}

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn draw(&mut self, _shape: Box<dyn Shape>) {}
}

fn main() {}
