use syncvar::prelude::*;

type Health = SyncVar<i32>;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<Health>,
}

fn main() {}
