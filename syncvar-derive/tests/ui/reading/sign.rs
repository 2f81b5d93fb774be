use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    open: SyncVar<bool>,
}

fn read(player: &Player) -> i32 {
    if !player.open { -player.health } else { 0 }
}

fn main() {}
