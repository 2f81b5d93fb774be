use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[network_behaviour(lifecycle)]
struct Chest {
    #[sync_var]
    coins: SyncVar<u32>,
}

impl NetworkLifecycle for Chest {
    fn on_network_spawn(&mut self, _ctx: &mut NetworkContext<'_>) {}
}

fn main() {}
