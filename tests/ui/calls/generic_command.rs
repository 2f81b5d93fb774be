use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command]
    fn fire<T: SyncValue>(&mut self, at: T) {}
}

fn main() {}
