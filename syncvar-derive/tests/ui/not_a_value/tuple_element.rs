use syncvar::prelude::*;

struct Buff;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    buffs: SyncVar<(Buff, u32)>,
}

fn main() {}
