use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health, initial_hook = true)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(&mut self, _: i32) {}
}

fn main() {}
