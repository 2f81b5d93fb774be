use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[target_rpc]
    fn whisper(&mut self) -> String {
        String::new()
    }
}

fn main() {}
