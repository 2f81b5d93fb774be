use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn write(server: &NetworkServer, id: NetId) {
    if let Some(player) = server.get::<Player>(id) {
        player.health -= 1;
    }
}

fn main() {}
