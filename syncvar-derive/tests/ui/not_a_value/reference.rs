use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    name: SyncVar<&'static str>,
}

fn main() {}
