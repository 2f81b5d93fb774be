use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player<'a> {
    #[sync_var]
    health: SyncVar<i32>,
    arena: &'a str,
}

fn main() {}
