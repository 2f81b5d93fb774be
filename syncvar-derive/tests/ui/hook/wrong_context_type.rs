//! A context that the hook may not change.
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(&mut self, _previous: i32, _ctx: &NetworkContext<'_>) {}
}

fn main() {}
