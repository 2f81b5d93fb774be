use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Chest {
    #[sync_var]
    coins: SyncVar<u32>,
}

impl NetworkLifecycle for Chest {
    fn on_network_spawn(&mut self, _ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        Ok(())
    }
}

fn main() {}
