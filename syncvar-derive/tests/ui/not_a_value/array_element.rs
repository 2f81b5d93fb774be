use syncvar::prelude::*;

struct Buff;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    buffs: SyncVar<[Buff; 4]>,
}

fn main() {}
