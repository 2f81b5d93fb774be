use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    #[sync_value(skp)]
    id: u32,
}

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    buff: SyncVar<Buff>,
}

fn main() {}
