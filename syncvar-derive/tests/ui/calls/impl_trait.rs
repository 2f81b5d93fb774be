use syncvar::SyncValue;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire(&mut self, _at: impl SyncValue) {}
}

fn main() {}
