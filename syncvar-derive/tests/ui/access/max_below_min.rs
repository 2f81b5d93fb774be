use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(min_interval = 2, max_interval = 0.5, threshold = far)]
    place: SyncVar<f32>,
}

impl Player {
    fn far(last_sent: &f32, now: &f32) -> bool {
        (last_sent - now).abs() > 1.0
    }
}

fn main() {}
