use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[sync_event]
    fn exploded(_radius: f32) {}
}

fn main() {}
