use syncvar::Half;
use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(with = Half)]
    speeds: SyncList<f32>,
}

fn main() {}
