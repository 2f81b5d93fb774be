use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var(write = owner, check = moves_legally)]
    x: SyncVar<f32>,
}

impl Player {
    fn moves_legally(&self, new: f32) -> bool {
        new.abs() < 1.0
    }
}

fn main() {}
