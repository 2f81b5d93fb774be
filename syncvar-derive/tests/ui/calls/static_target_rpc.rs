use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[target_rpc]
    fn whisper() {}
}

fn main() {}
