use syncvar::prelude::*;

#[derive(SyncValue, Clone, Default)]
enum Stance {
    #[default]
    Standing,
    Crouching,
}

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    stance: SyncVar<Stance>,
    #[sync_var]
    open: SyncVar<bool>,
    #[sync_var]
    health: SyncVar<i32>,
}

fn takes(_: i32) {}

fn read(player: &Player) {
    match player.stance {
        Stance::Standing => {}
        Stance::Crouching => {}
    }
    if player.open {}
    takes(player.health);
}

fn main() {}
