use syncvar::prelude::*;

type Items = SyncList<u32>;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(batch_hook = on_items)]
    items: Items,
}

impl Bag {
    fn on_items(&mut self, _changes: &[ListChange<u32>]) {}
}

fn main() {}
