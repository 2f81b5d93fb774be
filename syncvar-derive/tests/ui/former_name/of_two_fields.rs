use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var(was = "hp")]
    health: SyncVar<i32>,
    #[sync_var(was("life", "hp"))]
    shield: SyncVar<i32>,
}

fn main() {}
