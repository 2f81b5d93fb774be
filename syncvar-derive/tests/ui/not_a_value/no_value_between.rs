use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(interpolate = linear)]
    name: SyncVar<String>,
    #[sync_var(interpolate = spherical)]
    position: SyncVar<Vector3>,
}

fn main() {}
