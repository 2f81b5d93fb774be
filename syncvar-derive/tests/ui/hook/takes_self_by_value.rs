use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(self, _previous: i32) {}
}

fn main() {}
