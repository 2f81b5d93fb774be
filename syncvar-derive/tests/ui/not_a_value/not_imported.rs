use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    tint: SyncVar<Color32>,
    #[sync_var]
    scores: SyncVar<HashMap<u32, u32>>,
    #[sync_var]
    rotation: SyncVar<Quat>,
    #[sync_var]
    elapsed: SyncVar<Duration>,
}

fn main() {}
