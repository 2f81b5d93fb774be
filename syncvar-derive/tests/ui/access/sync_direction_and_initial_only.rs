use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(sync_direction = client_to_server)]
struct Rider {
    #[sync_var(initial_only)]
    name: SyncVar<String>,
}

fn main() {}
