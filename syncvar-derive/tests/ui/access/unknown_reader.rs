use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(read = team)]
    place: SyncVar<f32>,
}

fn main() {}
