use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    position: SyncVar<Vector3>,
    #[sync_var]
    tint: SyncVar<Color32>,
}

fn main() {}
