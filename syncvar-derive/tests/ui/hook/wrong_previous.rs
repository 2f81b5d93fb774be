//! A hook with a context and another type than the value's.
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(&mut self, _previous: i64, _ctx: &mut NetworkContext<'_>) {}
}

fn main() {}
