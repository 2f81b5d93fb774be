use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item)]
    items: SyncList<u32, u32>,
}

impl Bag {
    fn on_item<T>(&mut self, _change: T) {}
}

fn main() {}
