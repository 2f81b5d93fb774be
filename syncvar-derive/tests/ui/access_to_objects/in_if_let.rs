use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn heal(server: &mut NetworkServer, id: NetId) {
    if let Ok(mut player) = server.get_mut::<Player>(id) {
        player.health += 1;
        server.despawn(id).unwrap();
    }
}

fn main() {}
