use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    target: Option<SyncVar<NetId>>,
}

fn main() {}
