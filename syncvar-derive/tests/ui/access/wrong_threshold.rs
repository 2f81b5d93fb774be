use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(threshold = far)]
    place: SyncVar<f32>,
}

impl Player {
    fn far(last_sent: &u32, now: &u32) -> bool {
        last_sent != now
    }
}

fn main() {}
