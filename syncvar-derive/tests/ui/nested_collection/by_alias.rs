use syncvar::prelude::*;

type Row = SyncList<u32>;

#[derive(NetworkBehaviour)]
struct Bag {
    #[sync_var]
    items: SyncList<Row>,
}

fn main() {}
