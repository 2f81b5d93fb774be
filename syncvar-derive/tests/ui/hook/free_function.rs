use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

fn on_health(_player: &mut Player, _previous: i32) {}

fn main() {}
