use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Stats {
    strength: u8,
}

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    stats: Stats,
}

fn main() {}
