use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(was = "Player")]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn main() {}
