use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
}

impl Player {
    fn on_name(&mut self, _previous: &str) {}
}

fn main() {}
