use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(channel = 300, sned_interval = 0.1)]
struct Player {
    #[sync_var]
    health: i32,
    #[sync_var(hook = "on_name")]
    name: SyncVar<String>,
    armour: SyncVar<u8>,
    #[sync_var(channel = 1)]
    #[sync_var]
    mana: SyncVar<Vec<SyncVar<u8>>>,
}

fn main() {}
