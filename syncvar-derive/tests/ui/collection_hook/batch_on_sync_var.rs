use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(batch_hook = on_items)]
    items: SyncVar<u32>,
}

impl Bag {
    fn on_items(&mut self, _previous: u32) {}
}

fn main() {}
