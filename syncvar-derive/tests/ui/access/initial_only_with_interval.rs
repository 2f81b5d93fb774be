use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(initial_only, min_interval = 0.5)]
    name: SyncVar<String>,
}

fn main() {}
