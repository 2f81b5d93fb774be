use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(Self::on_health)]
    health: SyncVar<i32>,
}

fn main() {}
