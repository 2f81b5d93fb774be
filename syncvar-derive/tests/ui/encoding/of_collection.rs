use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = syncvar::Half)]
    speeds: SyncList<f32>,
}

fn main() {}
