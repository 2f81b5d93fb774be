use syncvar::prelude::*;

/// A type of another crate, bound to its thread.
struct Scene(*const u8);

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    scene: Scene,
}

fn main() {}
