use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Tank {
    #[sync_var(read = group(red))]
    ammunition: SyncVar<u32>,
}

fn main() {}
