use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    open: SyncVar<bool>,
}

#[derive(SyncValue, Clone, Default)]
struct Move {
    heal: i32,
}

fn step(player: &mut Player, input: Move, _tick: u64) {
    player.health += input.heal;
}

fn begin(client: &mut NetworkClient, id: NetId) {
    client.predict(id, step).unwrap();
}

fn main() {}
