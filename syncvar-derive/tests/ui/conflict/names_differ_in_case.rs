use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
#[expect(non_snake_case)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    Health: SyncVar<i32>,
}

fn main() {}
