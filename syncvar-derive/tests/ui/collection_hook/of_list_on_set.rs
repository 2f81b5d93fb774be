use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item)]
    items: SyncHashSet<u32>,
}

impl Bag {
    fn on_item(&mut self, _change: &ListChange<u32>) {}
}

fn main() {}
