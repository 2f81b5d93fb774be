use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    open: SyncVar<bool>,
}

fn shown(client: &NetworkClient, id: NetId) -> Option<i32> {
    client.view::<Player>(id)?.get(Player::HEALTH);
    None
}

fn main() {}
