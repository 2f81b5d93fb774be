use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::codec::Half)]
    speeds: SyncList<f32>,
}

fn main() {}
