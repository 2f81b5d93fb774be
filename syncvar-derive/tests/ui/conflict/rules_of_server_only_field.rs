use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Chest {
    #[sync_var(read = server, hook = on_seed)]
    seed: SyncVar<u64>,
    #[sync_var(read = server, batch_hook = on_visitors)]
    visitors: SyncList<String>,
    #[sync_var(read = server, write = owner)]
    trap: SyncVar<u8>,
    #[sync_var(read = server, initial_only)]
    name: SyncVar<String>,
    #[sync_var(read = server, min_interval = 0.5)]
    heat: SyncVar<f32>,
    #[sync_var(read = server, interpolate = linear)]
    place: SyncVar<f32>,
}

impl Chest {
    fn on_seed(&mut self, _previous: u64) {}
    fn on_visitors(&mut self, _changes: &[ListChange<String>]) {}
}

fn main() {}
