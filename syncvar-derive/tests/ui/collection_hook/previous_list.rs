use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_items)]
    items: SyncList<u32>,
}

impl Bag {
    fn on_items(&mut self, _previous: Vec<u32>) {}
}

fn main() {}
