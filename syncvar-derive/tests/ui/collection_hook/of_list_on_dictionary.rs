use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var(hook = on_item)]
    items: SyncDictionary<u32, String>,
}

impl Bag {
    fn on_item(&mut self, _change: &ListChange<String>) {}
}

fn main() {}
