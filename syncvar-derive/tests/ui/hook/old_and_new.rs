//! A hook with Mirror's arguments: the old value and the new one.
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(&mut self, _old: i32, _new: i32) {}
}

fn main() {}
