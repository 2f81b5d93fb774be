use std::net::SocketAddr;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    address: SyncVar<SocketAddr>,
}

fn main() {}
