#![deny(unused_must_use)]
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    async fn on_health(&mut self, _previous: i32) {}
}

fn main() {}
