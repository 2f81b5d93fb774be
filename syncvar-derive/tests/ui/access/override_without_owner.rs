use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(server_override)]
    health: SyncVar<i32>,
}

fn main() {}
