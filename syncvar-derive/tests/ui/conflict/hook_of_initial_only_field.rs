use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var(initial_only, hook = on_name)]
    name: SyncVar<String>,
    #[sync_var(initial_only, batch_hook = on_badges)]
    badges: SyncList<u32>,
}

impl Player {
    fn on_name(&mut self, _previous: String) {}
    fn on_badges(&mut self, _changes: &[ListChange<u32>]) {}
}

fn main() {}
