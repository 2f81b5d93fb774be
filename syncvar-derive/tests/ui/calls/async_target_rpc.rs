use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[target_rpc]
    async fn whisper(&mut self) {}
}

fn main() {}
