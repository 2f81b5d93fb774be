use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

fn step(mut player: Player, input: &i32, _tick: u64) {
    player.health += *input;
}

fn begin(client: &mut NetworkClient, id: NetId) {
    client.predict(id, step).unwrap();
}

fn main() {}
