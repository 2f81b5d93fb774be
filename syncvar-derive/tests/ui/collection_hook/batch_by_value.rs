use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(batch_hook = on_items)]
    items: SyncList<u32>,
}

impl Bag {
    fn on_items(&mut self, _changes: Vec<ListChange<u32>>) {}
}

fn main() {}
