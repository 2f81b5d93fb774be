use syncvar::prelude::*;

type Items = SyncList<u32>;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item)]
    items: Items,
}

impl Bag {
    fn on_item(&mut self, _change: &ListChange<u32>) {}
}

fn main() {}
