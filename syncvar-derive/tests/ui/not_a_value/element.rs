use syncvar::prelude::*;

struct Buff;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    buffs: SyncVar<Vec<Buff>>,
}

fn main() {}
