use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(initial_only, write = owner)]
    name: SyncVar<String>,
}

fn main() {}
