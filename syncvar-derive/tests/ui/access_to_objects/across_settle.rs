use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn run(net: &mut MemoryNetwork, id: NetId) {
    let mut player = net.server.get_mut::<Player>(id).unwrap();
    player.health += 1;
    net.settle();
    player.health += 1;
}

fn main() {}
