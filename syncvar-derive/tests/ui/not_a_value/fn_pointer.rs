use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    on_death: SyncVar<fn()>,
}

fn main() {}
