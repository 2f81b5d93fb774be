use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command(rat = 5)]
    fn fire(&self) -> bool {
        true
    }
    #[client_rpc]
    fn explode(&mut self, _by: &str) {}
    #[sync_event]
    fn exploded() {}
    #[command]
    fn right(&mut self) {}
}

fn main() {}
