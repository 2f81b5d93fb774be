use syncvar::SyncValue;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire<T: SyncValue>(&mut self, _at: T) {}
}

fn main() {}
