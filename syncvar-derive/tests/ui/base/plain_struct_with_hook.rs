use syncvar::prelude::*;

struct Creature;

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    creature: Creature,
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

impl Player {
    fn on_health(&mut self, _previous: i32) {}
}

fn main() {}
