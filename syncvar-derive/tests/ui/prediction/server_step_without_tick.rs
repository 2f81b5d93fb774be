use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn step(player: &mut Player, input: &i32) {
    player.health += *input;
}

fn run(server: &mut NetworkServer, id: NetId, tick: u64) {
    server.step(id, tick, step).unwrap();
}

fn main() {}
