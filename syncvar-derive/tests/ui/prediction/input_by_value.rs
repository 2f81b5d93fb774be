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

fn play(client: &mut NetworkClient) {
    client.set_input(Move { heal: 1 }).unwrap();
}

fn main() {}
