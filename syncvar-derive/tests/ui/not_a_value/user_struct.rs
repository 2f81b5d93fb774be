use syncvar::prelude::*;

struct Buff {
    id: u32,
}

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    buff: SyncVar<Buff>,
}

fn main() {}
