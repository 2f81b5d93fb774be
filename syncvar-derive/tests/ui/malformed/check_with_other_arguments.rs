use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(write = owner, check = moves_legally)]
    x: SyncVar<f32>,
}

impl Player {
    fn moves_legally(&self, former: &f32, new: &f32) -> bool {
        (new - former).abs() < 1.0
    }
}

fn main() {}
