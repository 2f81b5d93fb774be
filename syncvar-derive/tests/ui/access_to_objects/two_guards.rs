use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn trade(server: &mut NetworkServer, from: NetId, to: NetId) {
    let mut giver = server.get_mut::<Player>(from).unwrap();
    let mut taker = server.get_mut::<Player>(to).unwrap();
    giver.health -= 1;
    taker.health += 1;
}

fn main() {}
