use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default, Clone)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    open: SyncVar<bool>,
}

fn share(player: &Player) -> f32 {
    player.health as f32 / 100.0
}

fn main() {}
