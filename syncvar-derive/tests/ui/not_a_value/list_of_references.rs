use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<&'static str>,
}

fn main() {}
