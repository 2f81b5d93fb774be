use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Creature;

impl Creature {
    fn on_health(&mut self, _previous: i32) {}
}

#[derive(NetworkBehaviour)]
struct Player {
    #[network_behaviour(base)]
    creature: Creature,
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
}

fn main() {}
