use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    open: SyncVar<bool>,
}

fn read(player: &Player) -> i32 {
    let a = player.health + 10;
    let b = 10 - player.health;
    let c = -player.health * 2;
    let d = player.health + player.health;
    if !player.open { a + b } else { c + d }
}

fn main() {}
