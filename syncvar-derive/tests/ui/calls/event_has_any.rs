use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[sync_event]
    fn exploded(_what: Box<dyn std::any::Any>);
}

fn main() {}
