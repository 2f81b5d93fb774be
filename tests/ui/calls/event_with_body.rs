use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[sync_event]
    fn exploded(radius: f32) {}
}

fn main() {}
