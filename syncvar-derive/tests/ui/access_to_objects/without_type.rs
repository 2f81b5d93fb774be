use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn heal(server: &mut NetworkServer, id: NetId) {
    let mut player = server.get_mut(id).unwrap();
    player.health += 1;
}

fn main() {}
