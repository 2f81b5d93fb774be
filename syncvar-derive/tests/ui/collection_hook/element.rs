use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item)]
    items: SyncList<u32>,
}

impl Bag {
    fn on_item(&mut self, _item: u32) {}
}

fn main() {}
