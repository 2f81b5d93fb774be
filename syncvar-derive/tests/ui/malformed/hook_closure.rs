use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(hook = |previous| println!("{previous}"))]
    health: SyncVar<i32>,
}

fn main() {}
