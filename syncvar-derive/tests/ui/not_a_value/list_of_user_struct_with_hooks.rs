use syncvar::prelude::*;

struct Item;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item, batch_hook = on_items)]
    items: SyncList<Item>,
}

impl Bag {
    fn on_item(&mut self, _change: &ListChange<Item>) {}

    fn on_items(&mut self, _changes: &[ListChange<Item>]) {}
}

fn main() {}
